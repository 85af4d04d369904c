import { prepareTemplate } from './database-template.ts'

/** Makes the database that every test file begins with, before the first of them starts. */
export default async function setup(): Promise<void> {
  await prepareTemplate()
}
