import { error, invalid, plain, quoted, type Reply, unwanted } from "./Reply.ts"

/** How one part of the marketplace refuses what it is given; every part has a shape and words of its own. */
export interface Voice {
  readonly say: (words: string) => Reply
  /** What it says of a query parameter that is missing or is not what it takes. */
  readonly parameter: (name: string) => string
  /** What it says of a body that has not the operation's shape. */
  readonly body: string
}

const unreadable = "can not deserialize response body"
const incorrectBody = "Некорректное тело запроса"

const named = (name: string): string => `invalid ${name}`

export const voices = {
  campaigns: { say: invalid, parameter: (name) => `invalid ${name} value`, body: unreadable },
  statistics: { say: invalid, parameter: named, body: unreadable },
  keywords: { say: unwanted, parameter: named, body: unreadable },
  moves: { say: error, parameter: () => "Invalid Advert: invalid advert", body: incorrectBody },
  deletion: { say: error, parameter: () => "Некорректный ID кампании", body: incorrectBody },
  creation: { say: quoted, parameter: named, body: incorrectBody },
  money: { say: plain, parameter: () => "кампания не принадлежит продавцу", body: incorrectBody }
} as const satisfies Record<string, Voice>
