import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** Counters from elsewhere, read on request. */
interface MetricSources {
  role: string
  version: string
  /** Answers that this process is generating. */
  runningAnswers(): number
  /** Number of waiting, active and failed jobs by kind. */
  countJobs(): Promise<Record<string, { waiting: number; active: number; failed: number }>>
}

/** Metrics of one server process, in Prometheus' format. */
export interface Metrics {
  contentType: string
  text(): Promise<string>
}

const SAMPLE_MS = 50

/** Measures requests and the event loop's delay until the app closes. */
export function measureApp(app: FastifyInstance, sources: MetricSources): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })

  const requestDuration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last byte of its response, by route pattern.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers,
  })
  app.addHook('onResponse', async (request, reply) => {
    // only patterns as labels: paths could contain ids, and there is no limit to them
    const route = request.routeOptions.url ?? 'unknown'
    requestDuration.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000)
  })

  const eventLoopDelay = new Histogram({
    name: 'mira_event_loop_delay_seconds',
    help: `How much later than due a timer of ${SAMPLE_MS} ms fires.`,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1],
    registers,
  })
  let due = performance.now() + SAMPLE_MS
  const sampler = setInterval(() => {
    const now = performance.now()
    eventLoopDelay.observe(Math.max(0, now - due) / 1000)
    due = now + SAMPLE_MS
  }, SAMPLE_MS).unref()
  app.addHook('onClose', async () => clearInterval(sampler))

  new Gauge({
    name: 'mira_info',
    help: 'Always 1; role and version of this process.',
    labelNames: ['role', 'version'],
    registers,
  }).set({ role: sources.role, version: sources.version }, 1)
  new Gauge({
    name: 'mira_running_answers',
    help: 'Answers that this process is generating.',
    registers,
    collect() {
      this.set(sources.runningAnswers())
    },
  })
  new Gauge({
    name: 'mira_queue_jobs',
    help: 'Jobs by kind and state; absent while the database is unavailable.',
    labelNames: ['job', 'state'],
    registers,
    async collect() {
      this.reset()
      // a database that is down must not hide the other metrics
      const counts = await sources.countJobs().catch(() => ({}))
      for (const [job, states] of Object.entries(counts)) {
        for (const [state, jobs] of Object.entries(states)) this.set({ job, state }, jobs)
      }
    },
  })

  return { contentType: registry.contentType, text: () => registry.metrics() }
}
