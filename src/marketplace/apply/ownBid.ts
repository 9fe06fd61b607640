/* What shows instead of a bid that a plan has set, and is the plan's own all the same. Amounts in kopecks. */

/** The steps that the marketplace may round bids to, largest first. */
const roundings = [1000, 500, 100, 50, 10, 5]

/** Whether a bid is another one rounded to a step, by at most a fifth. */
export const isRounded = (shown: number, sent: number): boolean => {
  const distance = Math.abs(shown - sent)
  return distance > 0 && distance * 5 <= sent && roundings.some((step) => distance < step && shown % step === 0)
}

/** Whether a cluster bid was read in the other unit: it is a hundred times too high, or too low. */
export const isMisread = (shown: number, sent: number): boolean => shown === sent * 100 || shown * 100 === sent

/** Whether a cluster bid is the probe bid of an earlier version, in either unit. */
export const isProbe = (shown: number | null, probe: number | undefined): boolean =>
  probe !== undefined && (shown === probe || shown === probe * 100)
