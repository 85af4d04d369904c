// Performance scores of the built app in Lighthouse, on the slow phone and on the desktop that it emulates.
//   npm run build, then node bench/lighthouse.bench.ts [--runs 3] [--pictures 24] [--no-write]
// The performance category, 0 to 100, on the production build with an empty cache, a library of pictures and a conversation. Browser,
// server and Lighthouse share the machine. The note lists the audits that scored below 0.9 in any run.
import { parseArgs } from 'node:util'
import { createConversation } from '../e2e/support/conversations.ts'
import { startLighthouse } from '../e2e/support/lighthouse.ts'
import { startTestServer } from '../e2e/support/server.ts'
import { describeMachine, type FigureTable, percentiles, report } from './support/results.ts'
import { uploadPictures } from './support/some-pictures.ts'

const TARGET = 95

const { values: flags } = parseArgs({
  options: {
    runs: { type: 'string', default: '3' },
    pictures: { type: 'string', default: '24' },
    'no-write': { type: 'boolean', default: false },
  },
})
const runs = Number(flags.runs)
const pictures = Number(flags.pictures)
const machine = describeMachine()

// Lighthouse would wait 45 seconds for the event stream, which never ends
const maxWaitForLoad = 10_000
/** Lighthouse's own settings; it emulates the phone by default. */
const devices = {
  phone: { maxWaitForLoad },
  desktop: {
    maxWaitForLoad,
    formFactor: 'desktop',
    screenEmulation: { mobile: false, width: 1350, height: 940, deviceScaleFactor: 1, disabled: false },
    throttling: {
      ...{ rttMs: 40, throughputKbps: 10_240, cpuSlowdownMultiplier: 1 },
      ...{ requestLatencyMs: 0, downloadThroughputKbps: 0, uploadThroughputKbps: 0 },
    },
  },
} as const

const server = await startTestServer()
try {
  const account = await server.createAccount()
  await uploadPictures(server, account, pictures)
  await createConversation(server, account, 'A conversation', ['Hello there', 'Tell me about herons'])

  const rows: FigureTable['rows'] = []
  for (const [device, settings] of Object.entries(devices)) {
    const browser = await startLighthouse(server, ['performance'], settings)
    try {
      for (const [name, address, signedInAs] of [
        ['sign-in', '/login', null],
        ['chat', '/chat', account],
        ['gallery', '/gallery', account],
      ] as const) {
        const scores: number[] = []
        const failedAudits = new Set<string>()
        for (let run = 0; run < runs; run++) {
          const result = (await browser.audit(address, signedInAs)).performance
          if (!result) throw new Error(`${address} was not audited`)
          scores.push(result.score)
          for (const audit of result.failedAudits) failedAudits.add(audit)
        }
        const { median } = percentiles(scores)
        const note = [...failedAudits].join('; ')
        rows.push([
          `${name}, ${device}`,
          { value: median, comparison: `target ≥ ${TARGET}` },
          { value: Math.min(...scores), note },
          Math.max(...scores),
        ])
        console.info(name, device, median, scores, note)
      }
    } finally {
      await browser.close()
    }
  }

  const metrics = ['score, median', 'lowest', 'highest']
  report('Lighthouse', machine, [{ setup: `${runs} runs, ${pictures} pictures`, metrics, rows }], flags['no-write'])
} finally {
  await server.stop()
}
