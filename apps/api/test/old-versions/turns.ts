import { expect } from 'vitest'
import { createResultsStore } from '../../src/modules/library/pipeline/results.store.ts'
import type { Database } from '../../src/platform/database/client.ts'
import { newId } from '../../src/platform/database/new-id.ts'
import { addOldUser, type OldVersion } from './old-version.ts'

const speech = (n: number) => ({
  kind: 'speech',
  body: `said ${n}`,
  startSeconds: n,
  engine: 'remote',
  model: 'whisper',
})
const frameText = (n: number, endSeconds: number | null) => ({
  ...{ frameNumber: n, startSeconds: n * 4, endSeconds },
  found: { text: `Sign ${n}`, words: [], confidence: 0.8, language: null },
})
const printed = (page: number) => ({ kind: 'text', page, body: `page ${page}`, engine: 'built-in', model: null })
const described = { kind: 'caption', body: 'A harbour', frameNumber: 1, startSeconds: 4, engine: 'remote', model: 'v' }

/** Checkpoints of the previous version, and their conversions. */
const conversions: { step: string; before: object; checkpoint: object; findings: object[] }[] = [
  {
    step: 'transcribe',
    before: { seconds: 1795, moments: [speech(1), speech(2)], model: 'whisper' },
    checkpoint: { seconds: 1795, model: 'whisper' },
    findings: [speech(1), speech(2)],
  },
  {
    step: 'caption',
    before: { moments: [described], done: 12 },
    checkpoint: { done: 12 },
    findings: [described],
  },
  {
    step: 'read',
    before: { done: 50, unreadable: 1, texts: [frameText(1, 8), frameText(3, null)] },
    checkpoint: { done: 50, unreadable: 1, open: frameText(3, null) },
    findings: [frameText(1, 8)],
  },
  {
    step: 'read',
    before: { done: 100, unreadable: 0, texts: [frameText(1, 8), frameText(3, 16)] },
    checkpoint: { done: 100, unreadable: 0, open: null },
    findings: [frameText(1, 8), frameText(3, 16)],
  },
  {
    step: 'read',
    before: {
      moments: [printed(1), printed(3)],
      little: [
        { page: 2, text: '' },
        { page: 4, text: 'p. 4' },
        { page: 1, text: 'page 1', isAdded: true },
      ],
      ...{ cutAt: null, done: 1, unreadable: 1 },
    },
    checkpoint: {
      ...{ nextPage: null, characters: 0, cutAt: null, done: 1, unreadable: 1 },
      left: [
        { page: 4, text: 'p. 4' },
        { page: 1, text: 'page 1', isAdded: true },
      ],
      ...{ added: 1, bare: 2 },
    },
    findings: [printed(1), printed(3)],
  },
  {
    step: 'read',
    before: { moments: [], little: [], cutAt: 9, done: 0, unreadable: 0 },
    checkpoint: {
      ...{ nextPage: null, characters: 0, cutAt: 9, done: 0, unreadable: 0, left: [] },
      ...{ added: 0, bare: 0 },
    },
    findings: [],
  },
]

/** Inserts an item with the columns of the earlier version. */
async function insertItem({ pool }: Pick<Database, 'pool'>, userId: string): Promise<string> {
  const id = newId()
  await pool.query(
    `INSERT INTO media_items (id, user_id, media_type, sha256, path, original_filename, content_type, size_bytes)
     VALUES ($1::uuid, $2, 'document', md5($1::text) || md5($1::text), 'nowhere', 'scan.pdf', 'application/pdf', 1)`,
    [id, userId],
  )
  return id
}

async function insertStep({ pool }: Pick<Database, 'pool'>, itemId: string, step: string, checkpoint: object | null) {
  await pool.query(
    `INSERT INTO media_steps (media_item_id, name, position, checkpoint) VALUES ($1, $2, 9, $3)
     ON CONFLICT (media_item_id, name) DO UPDATE SET checkpoint = excluded.checkpoint`,
    [itemId, step, checkpoint && JSON.stringify(checkpoint)],
  )
}

const items: string[] = []

/** Last version that stored results of unfinished steps in their checkpoints. */
export const checkpoints: OldVersion = {
  lastMigration: '20261123220500_conversation_order',
  outcome: 'unfinished steps resume from their checkpoints',
  async add(database) {
    const userId = await addOldUser(database, 'turns')
    for (const { step, before } of conversions) {
      const id = await insertItem(database, userId)
      await insertStep(database, id, step, before)
      await insertStep(database, id, 'embed', null)
      items.push(id)
    }
  },
  async expectUpgraded(upgraded) {
    const store = createResultsStore(upgraded)
    for (const [index, { step, before, checkpoint, findings }] of conversions.entries()) {
      const id = items[index] ?? ''
      expect(await store.checkpoint(id, step)).toEqual(checkpoint)
      expect(await store.earlierFindings(id, step)).toEqual(findings)
      expect(await store.checkpoint(id, 'embed')).toBeNull()
      // A checkpoint stored later by a server of the earlier version is ignored, and so are its findings.
      await upgraded.pool.query('UPDATE media_steps SET checkpoint = $3 WHERE media_item_id = $1 AND name = $2', [
        ...[id, step, JSON.stringify(before)],
      ])
      expect(await store.checkpoint(id, step)).toBeNull()
      expect(await store.earlierFindings(id, step)).toEqual([])
    }
  },
}
