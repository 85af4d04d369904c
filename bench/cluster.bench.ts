// Two web servers and two workers on PostgreSQL under Patroni and Ceph, whose processes are killed at random while users use them. Exits
// with 1 when anything acknowledged is missing, has changed, or was done twice.
//   node bench/cluster.bench.ts --postgres /usr/lib/postgresql/15/bin [--kills 200] [--minutes 60] [--users 30] [--every 10] [--seed 1]
//     [--life FILE] [--keep FOLDER] [--no-write]
// Needs patroni, etcd, haproxy, pgbouncer and Ceph (ceph-mon, ceph-osd, radosgw), and as root the account postgres; pgvector must be among
// the extensions of that PostgreSQL. Three database nodes, each commit on two of them; files twice on three disks; HAProxy in front of the
// web servers. Users use the balancer and both web servers, and retry like the web app. Killed by SIGKILL: a web server, a worker, the
// primary's whole node or its database alone, a replica's node, the pooler, a balancer, the S3 gateway or a disk; each is started again
// after a few seconds. A node or a disk is only killed while the others are whole. Recovery is the time from a kill to the end of the first
// successful write started after it; a write is tried twice a second through the balancer. The next kill follows after up to five seconds.
// Kills and load follow the seed; they end after --minutes. --keep leaves logs and the journal there.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { ApiError } from '@mira/client'
import { createRandom } from '../apps/api/test/chance.ts'
import { createPhotoLikeImage } from '../apps/api/test/photographs.ts'
import { deviationsOf, makeAccounts, runOpenLoop, waitForProcessing } from './support/crowd.ts'
import { waitUntil } from './support/killable.ts'
import { type Kill, killAtRandom } from './support/killer.ts'
import { type Action, actionNames, createSimulatedUser } from './support/person-at-work.ts'
import { describeMachine, type FigureTable, percentiles, report } from './support/results.ts'
import { readSet, textOf } from './support/retrieval-sets.ts'
import { findDuplicates, startStack } from './support/stack.ts'
import { probeWrites } from './support/write-probe.ts'

/** Time during which users retry a failing call. */
const PATIENCE_MS = 120_000
/** Wait for reminders; one whose wake-up was lost comes a minute late. */
const REMINDERS_MS = 70_000
const MAX_RECOVERY_SECONDS = 30
const MAX_FAILURES_SHOWN = 100

const { values: flags } = parseArgs({
  options: {
    postgres: { type: 'string', default: '/usr/lib/postgresql/15/bin' },
    kills: { type: 'string', default: '200' },
    minutes: { type: 'string', default: '60' },
    users: { type: 'string', default: '30' },
    every: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    life: { type: 'string' },
    keep: { type: 'string' },
    'no-write': { type: 'boolean', default: false },
  },
})

// started processes end with this one
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1))
process.exit(await bench())

async function bench(): Promise<number> {
  const machine = describeMachine()
  const folder = flags.keep ?? mkdtempSync(join(tmpdir(), 'mira-cluster-'))
  mkdirSync(folder, { recursive: true })
  // the account postgres reads its configuration there
  chmodSync(folder, 0o755)
  const stack = await startStack({ folder, binDir: flags.postgres })
  const chance = createRandom(Number(flags.seed))
  const times = new Map<Action, number[]>(actionNames.map((deed) => [deed, []]))
  const troubles = new Map<string, number>()
  const failures: string[] = []
  try {
    const accounts = await makeAccounts(stack.urls, Number(flags.users))
    const set = flags.life ? readSet(flags.life, null) : undefined
    const texts = set && { records: set.things.map(textOf), questions: set.questions.map(({ text }) => text) }
    const photos = [await createPhotoLikeImage(1600, 1200, 1)]
    const people = accounts.map(({ miras }, index) =>
      createSimulatedUser({
        ...{ name: `person${index}`, miras, chance, photos, texts, patienceMs: PATIENCE_MS },
        journal: join(folder, 'journal.jsonl'),
        onDone: ({ deed, ms }) => times.get(deed)?.push(ms),
        onTrouble: ({ status, code }: ApiError) =>
          troubles.set(`${status} ${code}`, (troubles.get(`${status} ${code}`) ?? 0) + 1),
        onError: (deed, error) => failures.push(`cannot ${deed}: ${error.message}`),
      }),
    )
    let isOver = false
    const probe = probeWrites(accounts[0]!.miras[0]!)
    const load = runOpenLoop(people, chance, { everyMs: Number(flags.every) * 1000, isOver: () => isOver })
    const kills = await killAtRandom(stack.targets, {
      count: Number(flags.kills),
      until: performance.now() + Number(flags.minutes) * 60_000,
      chance: createRandom(Number(flags.seed) + 1),
      isServing: probe.isServing,
      onKill: (kill) => console.info(`${new Date().toISOString()} ${kill.number}: ${kill.name}`),
    })
    await sleep(MAX_RECOVERY_SECONDS * 1000)
    isOver = true
    await load
    const successes = await probe.stop()
    await waitUntil(stack.isWhole, 'The cluster does not recover', 300_000)
    await waitForProcessing(people.map(({ mira }) => mira))
    await sleep(REMINDERS_MS)
    const deviations = [...(await deviationsOf(people)), ...(await findDuplicates(stack.databaseUrl))]
    const recoveries = kills.map((kill) => ({ ...kill, seconds: recoveryOf(kill, successes) }))
    writeFileSync(
      join(folder, 'outcome.json'),
      JSON.stringify({ recoveries, troubles: [...troubles], failures, deviations }, null, 1),
    )
    for (const line of [...deviations, ...failures.slice(0, MAX_FAILURES_SHOWN)]) console.error(line)
    const ledgers = people.map(({ ledger }) => ledger)
    const questions = ledgers.flatMap((ledger) => ledger.questions)
    const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)
    const setup = `${flags.users} users, a deed every ${flags.every} s each, ${kills.length} kills`
    const tables: FigureTable[] = [
      {
        setup,
        metrics: ['value'],
        rows: [
          ['missing, changed or done twice', { value: deviations.length, comparison: 'target 0' }],
          ['files acknowledged', sum(ledgers.map(({ uploads }) => uploads.length))],
          ['messages acknowledged', questions.filter(({ messageId }) => messageId !== undefined).length],
          ['answers read whole', questions.filter(({ end }) => end === 'complete').length],
          ['answers that ended with their server', questions.filter(({ end }) => end === 'interrupted').length],
          ['streams read on after a broken connection', questions.filter(({ resumptions }) => resumptions > 0).length],
          ['reminders acknowledged', sum(ledgers.map(({ reminders }) => reminders.length))],
          ['deeds given up', failures.length],
          ...[...troubles].map(([name, count]): FigureTable['rows'][number] => [`tried again after ${name}`, count]),
        ],
      },
      {
        setup: `${setup}, recovery`,
        metrics: ['kills', 'median (s)', 'p95 (s)', 'most (s)'],
        rows: rowsOf(recoveries),
      },
      {
        setup: `${setup}, times`,
        metrics: ['times', 'median (ms)', 'p95 (ms)', 'p99 (ms)'],
        rows: [...times].map(([deed, all]): FigureTable['rows'][number] => {
          const { median, p95, p99 } = percentiles(all)
          return [deed, all.length, median, p95, p99]
        }),
      },
    ]
    report('Cluster', machine, tables, flags['no-write'])
    return deviations.length > 0 ? 1 : 0
  } finally {
    stack.stopModel()
    if (!flags.keep) process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  }
}

/** Seconds until the end of the first successful write that began after a kill. */
function recoveryOf({ at }: Kill, successes: { startedAt: number; endedAt: number }[]): number {
  const ends = successes.filter(({ startedAt }) => startedAt >= at).map(({ endedAt }) => endedAt)
  return (Math.min(...ends) - at) / 1000
}

function rowsOf(recoveries: (Kill & { seconds: number })[]): FigureTable['rows'] {
  const names = [...new Set(recoveries.map(({ kind }) => kind))]
  return [...names, 'all'].map((name) => {
    const seconds = recoveries.filter(({ kind }) => name === 'all' || kind === name).map((kill) => kill.seconds)
    const { median, p95 } = percentiles(seconds)
    const most = { value: Math.max(...seconds), comparison: `target ≤ ${MAX_RECOVERY_SECONDS}` }
    return [name, seconds.length, median, p95, most]
  })
}
