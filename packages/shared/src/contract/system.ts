import { z } from 'zod'
import { userEventSchema } from '../events.ts'
import { configSchema, healthSchema } from '../system.ts'
import { systemOverviewSchema } from '../system-overview.ts'
import { routes } from './route.ts'

const docsFileParamsSchema = z.object({
  file: z.enum(['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png', 'docs-page.js', 'docs-page.css']),
})

export const systemRoutes = routes({
  'GET /health': {
    access: 'public',
    tellsCaller: true,
    summary: 'Read whether the server works',
    description:
      'Answers 200 also when a part does not work: `status` is `degraded` then. Addresses of servers are told to administrators alone.',
    tag: 'Start',
    response: { 200: healthSchema },
  },
  'GET /config': {
    access: 'public',
    summary: 'Read what a client needs before anybody signs in',
    tag: 'Start',
    response: { 200: configSchema },
  },
  'GET /openapi.json': {
    access: 'public',
    summary: 'Read this document',
    tag: 'Start',
    response: { 200: z.looseObject({ openapi: z.string() }) },
  },
  'GET /metrics': {
    access: 'admin',
    summary: 'Read the figures of this process for Prometheus',
    description:
      'Counts and times, nothing of what people do or hold. `METRICS=open` opens it to everybody who reaches the server.',
    tag: 'Start',
    file: 'text/plain',
  },
  'GET /admin/system': {
    access: 'admin',
    summary: 'Read what was measured of the instance and of this server',
    description: 'Each server keeps a sample of itself every five minutes; what none measured is null.',
    tag: 'Admin',
    response: { 200: systemOverviewSchema },
  },
  'GET /docs': {
    access: 'public',
    summary: 'Open a page to read this document and to try it',
    tag: 'Start',
    file: 'text/html',
  },
  'GET /docs/:file': {
    access: 'public',
    summary: 'Read a file of that page',
    tag: 'Start',
    params: docsFileParamsSchema,
    file: ['text/css', 'text/javascript', 'image/png'],
  },
  'GET /events': {
    access: 'user',
    bound: 'stream',
    summary: 'Follow what happens',
    description:
      'One stream of what happens to the caller’s things. Events that come while nobody listens are not kept: ' +
      'after connecting again, read what is shown anew.',
    tag: 'Events',
    events: userEventSchema,
    errors: [429],
  },
})
