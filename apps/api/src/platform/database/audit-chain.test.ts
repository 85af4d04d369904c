import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/test-app.ts'
import { sendToSyslog } from '../net/syslog.ts'
import { type AuditChain, createAuditChain, type SealedEntry } from './audit-chain.ts'

let mira: TestApp
let chain: AuditChain
beforeAll(async () => {
  mira = await startTestApp()
  chain = createAuditChain(mira.context.database)
})
afterAll(() => mira.close())

const query = (sql: string, values: unknown[] = []) => mira.context.database.pool.query(sql, values)

/** Changes rows as only the database's owner can, because the log's trigger prevents it. */
async function tamper(sql: string) {
  await query('ALTER TABLE audit_entries DISABLE TRIGGER audit_entries_kept')
  await query(sql)
  await query('ALTER TABLE audit_entries ENABLE TRIGGER audit_entries_kept')
}

/** Empties the log and writes an entry for each age. */
async function writeEntries(daysAgo: number[]) {
  await tamper('DELETE FROM audit_entries')
  await query('TRUNCATE audit_links, audit_chain')
  for (const [index, days] of daysAgo.entries()) {
    await query(
      `INSERT INTO audit_entries (id, created_at, via, action, subject_name, detail)
       VALUES (gen_random_uuid(), now() - make_interval(days => $1) + make_interval(secs => $2), 'session', 'test.entry', $3, '{"b": 1, "a": "é"}')`,
      [days, index, `subject ${index}`],
    )
    await chain.seal()
  }
}

beforeEach(() => writeEntries([400, 300, 200, 2, 1]))

test('an unchanged log is intact, even when several servers seal at once', async () => {
  await query(
    `INSERT INTO audit_entries (id, via, action) SELECT gen_random_uuid(), 'none', 'test.many' FROM generate_series(1, 1100)`,
  )
  await Promise.all([chain.seal(), chain.seal(), chain.seal()])
  const { rows } = await query('SELECT count(*)::int AS links, max(sequence)::int AS last FROM audit_links')
  expect(rows).toEqual([{ links: 1105, last: 1105 }])
  expect(await chain.verify(null)).toBe(true)
})

test.each([
  ['a changed subject', `UPDATE audit_entries SET subject_name = 'x' WHERE subject_name = 'subject 2'`],
  ['a changed detail', `UPDATE audit_entries SET detail = '{}' WHERE subject_name = 'subject 3'`],
  [
    'a changed time',
    `UPDATE audit_entries SET created_at = created_at - interval '1 ms' WHERE subject_name = 'subject 0'`,
  ],
  ['a removed entry', `DELETE FROM audit_entries WHERE subject_name = 'subject 3'`],
  ['the oldest entry removed', `DELETE FROM audit_entries WHERE subject_name = 'subject 0'`],
  [
    'an entry removed with its link',
    `WITH gone AS (DELETE FROM audit_entries WHERE subject_name = 'subject 3' RETURNING id)
     DELETE FROM audit_links WHERE entry_id IN (SELECT id FROM gone)`,
  ],
])('%s is detected and reported by the health check', async (_change, sql) => {
  await tamper(sql)
  expect(await chain.verify(null)).toBe(false)
  const brokenAt = await chain.brokenAt()
  expect(brokenAt).toBeInstanceOf(Date)
  await expect
    .poll(async () => (await mira.request.get('/api/health')).body.checks.audit, { timeout: 10_000 })
    .toMatchObject({ state: 'error', reason: expect.stringContaining(brokenAt?.toISOString() ?? '-') })
})

test('removing expired entries leaves an anchor, so that the rest stays verifiable', async () => {
  await query(`DELETE FROM audit_entries WHERE created_at < now() - interval '250 days'`)
  expect(await chain.verify(250)).toBe(true)
  await chain.removeExpired()
  const { rows } = await query('SELECT sequence::int FROM audit_links ORDER BY sequence')
  expect(rows.map(({ sequence }) => sequence)).toEqual([2, 3, 4, 5])
  // Also once entries are kept forever.
  expect(await chain.verify(null)).toBe(true)
  await tamper(`DELETE FROM audit_entries WHERE subject_name = 'subject 2'`)
  expect(await chain.verify(250)).toBe(false)
})

test('sealed entries are forwarded in order and once, and retried after a failure', async () => {
  const sentEntries: SealedEntry[] = []
  await expect(chain.forward(() => Promise.reject(new Error('away')))).rejects.toThrow('away')
  await query('UPDATE audit_chain SET sending_until = NULL')
  const send = async (entries: SealedEntry[]) => {
    sentEntries.push(...entries)
  }
  await chain.forward(send)
  await chain.forward(send)
  expect(sentEntries.map(({ sequence, entry }) => [sequence, entry.subject_name])).toEqual(
    [0, 1, 2, 3, 4].map((index) => [index + 1, `subject ${index}`]),
  )
  expect(Object.keys(sentEntries[0]?.entry ?? {})).not.toContain('link_at')
})

const message = { at: new Date('2026-11-27T10:00:00Z'), id: 'entry-1', text: '{"action":"é"}' }
const FORMATTED = /^<109>1 2026-11-27T10:00:00\.000Z \S+ mira \d+ entry-1 - \{"action":"é"\}$/

test('syslog receives a datagram for each entry over UDP', async () => {
  const receiver = createSocket('udp4').bind(0, '127.0.0.1')
  await once(receiver, 'listening')
  const received = once(receiver, 'message')
  await sendToSyslog({ protocol: 'udp', host: '127.0.0.1', port: receiver.address().port }, [message])
  expect(String((await received)[0])).toMatch(FORMATTED)
  receiver.close()
})

test('syslog receives counted frames over TCP, and a refused connection is an error', async () => {
  let text = ''
  const receiver = createServer((socket) => socket.on('data', (data) => (text += data)).on('end', () => socket.end()))
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const target = { protocol: 'tcp' as const, host: '127.0.0.1', port: (receiver.address() as AddressInfo).port }
  await sendToSyslog(target, [message, message])
  const [, length, rest] = /^(\d+) (.*)$/s.exec(text) ?? []
  const first = Buffer.from(rest ?? '')
    .subarray(0, Number(length))
    .toString()
  expect(first).toMatch(FORMATTED)
  expect(Buffer.byteLength(rest ?? '')).toBe(2 * Number(length) + `${length} `.length)
  receiver.close()
  await once(receiver, 'close')
  await expect(sendToSyslog(target, [message])).rejects.toThrow('ECONNREFUSED')
})
