import type { ComponentChildren } from "preact"
import { useLayoutEffect, useRef, useState } from "preact/hooks"

export interface Column<Row> {
  readonly id: string
  readonly title: string
  /** `medium` and `wide` ones are left out where the screen is narrower; `grow` takes what others leave; `number` is set right. */
  readonly kind?: string
  readonly cell: (row: Row) => ComponentChildren
  readonly compare?: (a: Row, b: Row) => number
  /** Whether the first click brings the greatest up. */
  readonly isGreatestFirst?: boolean
}

/** Compares names as people read them: "e2" comes before "e10". */
export const { compare: compareNames } = new Intl.Collator(undefined, { numeric: true })

/** The column of the instance, where there are several. */
export const instanceColumn = <Row extends { readonly instance: string }>(
  hasInstances: boolean
): ReadonlyArray<Column<Row>> =>
  hasInstances
    ? [
        {
          id: "instance",
          title: "Instance",
          kind: "medium",
          compare: (a, b) => compareNames(a.instance, b.instance),
          cell: ({ instance }) => instance
        }
      ]
    : []

/** A column and a direction, as the address has it: `name`, or `-name` for the other way. */
export const sortedBy = <Row,>(
  rows: ReadonlyArray<Row>,
  columns: ReadonlyArray<Column<Row>>,
  sort: string
): ReadonlyArray<Row> => {
  const compare = columns.find(({ id }) => id === sort.replace("-", ""))?.compare
  if (compare === undefined) return rows
  return rows.toSorted(sort.startsWith("-") ? (a, b) => compare(b, a) : compare)
}

interface Props<Row> {
  readonly label: string
  readonly rows: ReadonlyArray<Row>
  readonly columns: ReadonlyArray<Column<Row>>
  readonly keyOf: (row: Row) => string
  readonly sort?: string
  readonly onSort?: (sort: string) => void
  readonly selected?: ReadonlySet<string>
  readonly onSelect?: (selected: ReadonlySet<string>) => void
  readonly nameOf?: (row: Row) => string
}

/** Height of a row in pixels, as the style says it. */
const rowHeight = 36
/** Rows that are there beyond the screen, so that scrolling shows no gap. */
const margin = 12

/** The rows that are on the screen, as it is scrolled. */
const useRange = (count: number) => {
  const body = useRef<HTMLTableSectionElement>(null)
  const [range, setRange] = useState<readonly [from: number, to: number]>([0, 60])
  useLayoutEffect(() => {
    const look = () => {
      const top = body.current?.getBoundingClientRect().top ?? 0
      const first = Math.max(0, Math.floor(-top / rowHeight))
      const from = Math.max(0, Math.floor(first / margin) * margin - margin)
      const to = from + Math.ceil(innerHeight / rowHeight) + 3 * margin
      setRange((before) => (before[0] === from && before[1] === to ? before : [from, to]))
    }
    look()
    addEventListener("scroll", look, { passive: true })
    addEventListener("resize", look)
    return () => {
      removeEventListener("scroll", look)
      removeEventListener("resize", look)
    }
  }, [count])
  return { body, from: Math.min(range[0], Math.max(0, count - 1)), to: Math.min(count, range[1]) }
}

/**
 * Rows of which only those on the screen are drawn, so that thousands are as quick as ten. Up and down lead from the link of
 * one row to that of the next.
 */
export const Table = <Row,>(props: Props<Row>) => {
  const { columns, keyOf, label, nameOf, onSelect, onSort, rows, selected, sort = "" } = props
  const { body, from, to } = useRange(rows.length)
  const [focused, setFocused] = useState<number>()
  useLayoutEffect(() => {
    if (focused === undefined) return
    const link = body.current?.querySelector(`[data-row="${focused}"] a`)
    if (link instanceof HTMLElement) {
      link.focus({ preventScroll: true })
      setFocused(undefined)
    }
  }, [focused, from, to])
  const walk = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0
    if (step === 0 || !(event.target instanceof HTMLAnchorElement)) return
    const row = event.target.closest("[data-row]")
    const next = Number(row?.getAttribute("data-row")) + step
    if (row === null || next < 0 || next >= rows.length) return
    event.preventDefault()
    const { bottom, top } = row.getBoundingClientRect()
    if (bottom + step * rowHeight > innerHeight || top + step * rowHeight < 0) scrollBy(0, step * rowHeight)
    setFocused(next)
  }
  const keys = rows.map(keyOf)
  const isAll = selected !== undefined && rows.length > 0 && keys.every((key) => selected.has(key))
  const toggle = (key: string) => {
    const next = new Set(selected)
    if (!next.delete(key)) next.add(key)
    onSelect?.(next)
  }
  return (
    <table class="table" aria-label={label} aria-rowcount={rows.length + 1}>
      <thead>
        <tr>
          {onSelect === undefined ? null : (
            <th scope="col" class="check">
              <input
                type="checkbox"
                aria-label="Select all"
                checked={isAll}
                onChange={() => onSelect(isAll ? new Set() : new Set(keys))}
              />
            </th>
          )}
          {columns.map((column) => (
            <Heading key={column.id} column={column} sort={sort} onSort={onSort} />
          ))}
        </tr>
      </thead>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys lead from link to link */}
      <tbody ref={body} onKeyDown={walk}>
        <Gap rows={from} />
        {rows.slice(from, to).map((row, at) => {
          const key = keys[from + at] ?? ""
          return (
            <tr key={key} data-row={from + at} aria-rowindex={from + at + 2} class={selected?.has(key) ? "chosen" : ""}>
              {onSelect === undefined ? null : (
                <td class="check">
                  <input
                    type="checkbox"
                    aria-label={`Select ${nameOf?.(row) ?? key}`}
                    checked={selected?.has(key) === true}
                    onChange={() => toggle(key)}
                  />
                </td>
              )}
              {columns.map(({ cell, id, kind }) => (
                <td key={id} class={kind}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          )
        })}
        <Gap rows={rows.length - to} />
      </tbody>
    </table>
  )
}

/** The room of rows that are not drawn. */
const Gap = ({ rows }: { readonly rows: number }) =>
  rows <= 0 ? null : (
    <tr class="gap" aria-hidden="true">
      <td style={{ height: `${rows * rowHeight}px` }} />
    </tr>
  )

const Heading = <Row,>(props: {
  readonly column: Column<Row>
  readonly sort: string
  readonly onSort: ((sort: string) => void) | undefined
}) => {
  const { column, onSort, sort } = props
  const { compare, id, isGreatestFirst = false, kind, title } = column
  if (compare === undefined || onSort === undefined) {
    return (
      <th scope="col" class={kind}>
        {title}
      </th>
    )
  }
  const [up, down] = [id, `-${id}`]
  const next = sort === up ? down : sort === down ? up : isGreatestFirst ? down : up
  return (
    <th scope="col" class={kind} aria-sort={sort === up ? "ascending" : sort === down ? "descending" : "none"}>
      <button type="button" onClick={() => onSort(next)}>
        {title}
        <span aria-hidden="true">{sort === up ? " ↑" : sort === down ? " ↓" : ""}</span>
      </button>
    </th>
  )
}
