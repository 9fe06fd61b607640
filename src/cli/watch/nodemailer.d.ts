/** The part of the library that is used; it need not be installed. */
declare module "nodemailer" {
  const library: {
    readonly createTransport: (options: object) => { readonly sendMail: (mail: object) => Promise<unknown> }
  }
  export default library
}
