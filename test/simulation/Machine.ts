import { Duration, Effect, Ref, Schedule as Times, Schema } from "effect"

import { type Entry, type Journal, readingBy } from "../../src/changes/Journal.ts"
import { JournalFailed } from "../../src/changes/PlanError.ts"
import type { Journals } from "../../src/cli/plans/PlanJournalFile.ts"
import { SpoolError, type Spool } from "../../src/engine/history/git/Spool.ts"
import type { TemporaryCopyEntry, TemporaryCopyJournal } from "../../src/engine/operator/run/TemporaryCopyJournal.ts"
import type { TestFiles } from "../../src/engine/operator/tests/TestFolder.ts"
import { ConfigurationError } from "../../src/internal/config/ConfigurationError.ts"
import type { Coordination } from "../../src/internal/http/Coordination.ts"
import { inMemory } from "../../src/internal/KeptValues.ts"
import { InvalidArgument } from "../../src/mcp/ToolError.ts"
import { MemoryRepository } from "./Repository.ts"
import { type Group, type Schedule, world } from "./schedule.ts"

/** Rules that a schedule can break on purpose, to see that it is noticed. */
export interface Broken {
  /** The journal of plans is lost where a server is killed. */
  readonly forgetsJournal?: boolean
  /** Nothing keeps two servers apart that change the same workflow. */
  readonly hasNoLocks?: boolean
  /** Some changes do not happen, and the engine answers as if they had. */
  readonly lies?: boolean
  /** Something repeats requests that have arrived, creations too. */
  readonly repeats?: boolean
  /** Nothing in the journal says that a step is about to be sent. */
  readonly notesNoBeginning?: boolean
  /** Whoever answers 404 says it in an engine's very words. */
  readonly takesAny404?: boolean
  /** Creations of a moment ago are not found by their names. */
  readonly findsNothingNew?: boolean
  /** The history loses a commit that it has taken. */
  readonly forgetsCommits?: boolean
  /** A person's answer counts as often as it is sent. */
  readonly countsAgain?: boolean
}

/** The events that wait on disk for the history, and their owner. */
interface Spooled {
  readonly owner: Group
  lines: ReadonlyArray<string>
  isReleased: boolean
}

const full = "ENOSPC: no space left on device"

/** The belongings of a machine, which it keeps when servers on it are killed: a folder of state, and the locks among them. */
export class Machine {
  readonly name: string
  readonly journals = new Map<string, Array<string>>()
  /** Temporary copies that exist, or may exist, and whose they are. */
  readonly copies = new Map<TemporaryCopyEntry, Group>()
  readonly tests = new Map<string, string>()
  readonly repository: MemoryRepository
  readonly wall = { ahead: 0 }
  /** The moments at which its clock was set. */
  readonly clockSet: Array<number> = []
  /** When its disk was full: the last span may have no end yet. */
  readonly fullSpans: Array<{ readonly from: number; to: number }> = []
  private readonly spools = new Set<Spooled>()
  private readonly locks = new Map<string, Group>()
  private readonly schedule: Schedule
  private readonly broken: Broken

  constructor(name: string, schedule: Schedule, broken: Broken) {
    this.name = name
    this.schedule = schedule
    this.broken = broken
    this.repository = new MemoryRepository(this)
  }

  get isFull(): boolean {
    return this.fullSpans.at(-1)?.to === Infinity
  }

  set isFull(isFull: boolean) {
    const last = this.fullSpans.at(-1)
    if (isFull && last?.to !== Infinity) this.fullSpans.push({ from: this.schedule.now, to: Infinity })
    else if (!isFull && last !== undefined) last.to = Math.min(last.to, this.schedule.now)
  }

  setClock(ahead: number) {
    if (ahead !== this.wall.ahead) this.clockSet.push(this.schedule.now)
    this.wall.ahead = ahead
  }

  note(text: string) {
    this.schedule.note(text)
  }

  /** The rest of its state when a server is killed. */
  outlived() {
    if (this.broken.forgetsJournal === true) this.journals.clear()
    if (this.broken.forgetsCommits === true) this.repository.commits.splice(2)
  }

  /** A deed of a server on its disk at a moment, of which it hears a little later. */
  onDisk<A, E = never>(server: Group, act: () => Effect.Effect<A, E>): Effect.Effect<A, E> {
    const { random } = this.schedule
    return Effect.callback<A, E>((resume) => {
      this.schedule.after(world, random.below(4), () => {
        if (!server.isAlive) return
        const done = Effect.runSyncExit(act())
        this.schedule.after(server, random.below(4), () => resume(done))
      })
    })
  }

  private lock(server: Group, name: string): boolean {
    const holder = this.locks.get(name)
    if (holder?.isAlive === true && this.broken.hasNoLocks !== true) return false
    this.locks.set(name, server)
    return true
  }

  /** Runs while no other server of this machine holds the lock. */
  private locked<A, E, R, E2>(
    server: Group,
    name: string,
    self: Effect.Effect<A, E, R>,
    atMost: Duration.Duration,
    busy: () => Effect.Effect<never, E2>
  ): Effect.Effect<A, E | E2, R> {
    const taken = Effect.sync(() => this.lock(server, name))
    return Effect.uninterruptibleMask((restore) =>
      Effect.gen({ self: this }, function* () {
        const until = this.schedule.now + Duration.toMillis(atMost)
        while (!(yield* taken)) {
          if (this.schedule.now >= until) return yield* busy()
          yield* restore(Effect.sleep(1 + this.schedule.random.below(20)))
        }
        return yield* Effect.ensuring(
          restore(self),
          Effect.sync(() => this.locks.delete(name))
        )
      })
    )
  }

  /** The locks of a server against the others of this machine. */
  withLock(server: Group): (typeof Coordination)["Service"]["withLock"] {
    return (name, self, { atMost, busy }) => this.locked(server, name, self, atMost, busy)
  }

  /** The journals of a server, unless it shares them with servers of other machines. */
  journalsOf(server: Group): typeof Journals.Service {
    const make = <C>(file: string, entry: Schema.Codec<Entry<C>, unknown>) =>
      Effect.sync(() => this.journal(server, file, entry))
    return { make, makeReading: make, values: () => Effect.sync(inMemory), problemWith: () => Effect.undefined }
  }

  /** A journal on the disk of this machine, as a server has it open. */
  private journal<C>(server: Group, name: string, entry: Schema.Codec<Entry<C>, unknown>): Journal<C> {
    const line = Schema.fromJsonString(entry)
    const [encode, decode] = [Schema.encodeSync(line), Schema.decodeSync(line)]
    const lines = () => this.journals.get(name) ?? []
    const waiting = Ref.makeUnsafe<ReadonlyArray<string>>([])
    let users = 0
    const busy = new JournalFailed({ problem: "the journal is in use by another process" })
    const acquire = Effect.suspend((): Effect.Effect<void, JournalFailed> => {
      if (users > 0 || this.lock(server, name)) {
        users++
        return Effect.void
      }
      return Effect.fail(busy)
    }).pipe(Effect.retry({ schedule: Times.spaced("100 millis"), times: 20 }))
    const release = Effect.sync(() => {
      if (--users === 0) this.locks.delete(name)
    })
    const write = (text: string) =>
      this.onDisk(server, () => {
        if (this.isFull) return Effect.fail(new JournalFailed({ problem: full }))
        this.journals.set(name, [...lines(), text])
        return Effect.void
      })
    return {
      append: (...entries) => {
        const isNoted = ({ type }: Entry<C>) => type !== "begun" || this.broken.notesNoBeginning !== true
        const texts = entries.filter(isNoted).map((one) => encode(one))
        const written = Effect.acquireUseRelease(
          acquire,
          () =>
            Effect.flatMap(Ref.getAndSet(waiting, []), (before) =>
              Effect.forEach([...before, ...texts], write, { discard: true })
            ),
          () => release
        )
        const isOfPlan = entries.every(({ type }) => type === "planned" || type === "steps")
        return Effect.uninterruptible(
          Effect.catchIf(
            written,
            (error) => error === busy && isOfPlan,
            () => Ref.update(waiting, (before) => [...before, ...texts])
          )
        )
      },
      ...readingBy<C>((make) =>
        Effect.flatMap(Ref.get(waiting), (more) =>
          this.onDisk(server, () => Effect.succeed([...lines(), ...more].map((text) => make(decode(text)))))
        )
      ),
      hold: (work) =>
        Effect.acquireUseRelease(
          acquire,
          () => work,
          () => release
        )
    }
  }

  /** Where a server notes its temporary copies; on a full disk it goes on without a note. */
  copyJournal(server: Group): (typeof TemporaryCopyJournal)["Service"] {
    const { copies } = this
    const noted = (copy: TemporaryCopyEntry) =>
      this.onDisk(server, () => Effect.sync(() => (this.isFull ? undefined : copies.set(copy, server))))
    return {
      during: (copy, life) =>
        Effect.gen({ self: this }, function* () {
          yield* noted(copy)
          const { isGone, outcome } = yield* life
          if (isGone) yield* this.onDisk(server, () => Effect.succeed(copies.delete(copy)))
          return yield* outcome
        })
    }
  }

  /** The folder of tests. */
  testFiles(server: Group): TestFiles {
    const { tests } = this
    return {
      folder: "/tests",
      list: this.onDisk(server, () => Effect.succeed([...tests.keys()].toSorted())),
      read: (file) =>
        this.onDisk(server, () => {
          const text = tests.get(file)
          const missing = new ConfigurationError({ message: "it cannot be read (ENOENT)" })
          return text === undefined ? Effect.fail(missing) : Effect.sync((): unknown => JSON.parse(text))
        }),
      write: (file, text, { overwrite }) =>
        this.onDisk(server, (): Effect.Effect<string, ConfigurationError | InvalidArgument> => {
          if (this.isFull) return Effect.fail(new ConfigurationError({ message: full }))
          const problem = `${file} is there already: give another file, or overwrite: true`
          if (tests.has(file) && !overwrite) return Effect.fail(new InvalidArgument({ argument: "file", problem }))
          tests.set(file, text)
          return Effect.succeed(file)
        })
    }
  }

  /** Where a server keeps what the history does not take yet. */
  spool(server: Group): Spool {
    const { spools } = this
    const own = () => [...spools].find(({ isReleased, owner }) => owner === server && !isReleased)
    return {
      keep: (lines) =>
        this.onDisk(server, () => {
          if (this.isFull) return Effect.fail(new SpoolError({ message: full }))
          const spooled = own() ?? { owner: server, lines: [], isReleased: false }
          spools.add(spooled)
          spooled.lines = [...spooled.lines, ...lines]
          return Effect.succeed("/spool")
        }),
      forget: this.onDisk(server, () =>
        Effect.sync(() => spools.forEach((one) => one === own() && spools.delete(one)))
      ),
      release: this.onDisk(server, () =>
        Effect.sync(() => {
          const spooled = own()
          if (spooled !== undefined) spooled.isReleased = true
        })
      ),
      left: this.onDisk(server, () =>
        Effect.sync(() =>
          [...spools]
            .filter(({ isReleased, owner }) => isReleased || !owner.isAlive)
            .map((one) => ({
              lines: one.lines,
              remove: this.onDisk(server, () => Effect.sync(() => void spools.delete(one)))
            }))
        )
      )
    }
  }
}
