/** Number of single changes that one plan may hold unless a guard says otherwise. */
export const maxItemsPerApply = 10_000
