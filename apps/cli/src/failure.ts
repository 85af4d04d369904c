/** What went wrong and what to do, for the person at the terminal; told without a stack. */
export class Failure extends Error {}
