import { expect, test } from 'vitest'
import { silentLog } from './database-template.ts'
import { openReusedDatabase } from './kept-database.ts'
import { templateFile } from './laid-database.ts'

test('maintenance of a database that tests share waits for their transactions', async () => {
  const database = await openReusedDatabase({ dataDir: undefined, templateFile: templateFile(), log: silentLog })
  const client = await database.pool.connect()
  await client.query('BEGIN')
  const vacuuming = database.withoutTimeLimit((query) => query('VACUUM users'))
  await client.query('UPDATE settings SET updated_at = now()')
  expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
  await client.query('COMMIT')
  client.release()
  await vacuuming
  await database.pool.end()
  await database.close()
})
