/** The marketplace's own addresses; the only place where its name appears. */
export const hosts = {
  production: "https://advert-api.wildberries.ru",
  sandbox: "https://advert-api-sandbox.wildberries.ru"
} as const
