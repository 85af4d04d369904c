// How fast Lighthouse finds the built app, on the slow phone and on the desktop that it imitates.
//   npm run build, then node bench/lighthouse.bench.ts [--runs 3] [--pictures 24] [--no-write]
// The performance category, 0 to 100, on the production build with an empty cache, a library of pictures and a conversation. Browser, server and
// Lighthouse share the machine. The note names what scored below 0.9 in any run.
import { parseArgs } from 'node:util'
import { haveConversation } from '../e2e/support/conversations.ts'
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

/** Lighthouse's own settings: the phone is what it imitates when nothing is said. */
// the stream of a person's events has no end, for which Lighthouse would wait 45 seconds
const maxWaitForLoad = 10_000
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
  const person = await server.createAccount()
  await uploadPictures(server, person, pictures)
  await haveConversation(server, person, 'A conversation', ['Hello there', 'Tell me about herons'])

  const rows: FigureTable['rows'] = []
  for (const [device, settings] of Object.entries(devices)) {
    const browser = await startLighthouse(server, ['performance'], settings)
    try {
      for (const [name, address, who] of [
        ['sign-in', '/login', null],
        ['chat', '/chat', person],
        ['gallery', '/gallery', person],
      ] as const) {
        const scores: number[] = []
        const faults = new Set<string>()
        for (let run = 0; run < runs; run++) {
          const judged = (await browser.judge(address, who)).performance
          if (!judged) throw new Error(`${address} was not judged`)
          scores.push(judged.score)
          for (const fault of judged.faults) faults.add(fault)
        }
        const { median } = percentiles(scores)
        const note = [...faults].join('; ')
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

  const metrics = ['score, median', 'least', 'most']
  report('Lighthouse', machine, [{ setup: `${runs} runs, ${pictures} pictures`, metrics, rows }], flags['no-write'])
} finally {
  await server.stop()
}
