/** The package of a node type. */
export const packageOf = (type: string): string => type.slice(0, Math.max(type.lastIndexOf("."), 0))
