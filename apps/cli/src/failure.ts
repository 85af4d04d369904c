/** Error with advice for the user at the terminal; printed without a stack. */
export class Failure extends Error {}
