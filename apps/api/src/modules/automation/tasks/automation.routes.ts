import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { dispositionOf } from '../../../platform/http/file-answer.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { AutomationService } from './automation.service.ts'
import type { SummariesService } from './summaries.service.ts'

/** /automation/…: what runs by itself, for administrators; /me/…: a person's own summaries, and what they share. */
export async function automationRoutes(
  app: FastifyInstance,
  { automation, summaries }: { automation: AutomationService; summaries: SummariesService },
): Promise<void> {
  serve(app, 'GET /automation/health', async () => ({
    status: 'ok' as const,
    scheduler_running: automation.isRunning(),
  }))

  serve(app, 'GET /automation/status', async () => automation.status())

  serve(app, 'GET /automation/runs', async (request) => automation.runs(request.query))

  serve(app, 'GET /automation/runs/:id', async (request) => automation.run(request.params.id))

  serve(app, 'GET /automation/runs/:id/dataset', async (request, reply) => {
    const lines = await automation.dataset(request.params.id)
    return reply
      .headers({
        'content-type': 'application/jsonl; charset=utf-8',
        'content-disposition': dispositionOf('attachment', `mira-training-${request.params.id}.jsonl`),
        'cache-control': 'no-store',
      })
      .send(Readable.from(lines))
  })

  serve(app, 'POST /automation/trigger', async (request, reply) => {
    const { task_type: taskType, reason } = request.body
    return reply.code(202).send(await automation.trigger(taskType, reason, principalOf(request).user.id))
  })

  serve(app, 'POST /automation/runs/:id/cancel', async (request, reply) => {
    await automation.cancel(request.params.id)
    return reply.code(204).send()
  })

  serve(app, 'POST /automation/runs/:id/retry', async (request, reply) =>
    reply.code(202).send(await automation.retry(request.params.id, principalOf(request).user.id)),
  )

  serve(app, 'PUT /automation/tasks/:task_type', async (request) =>
    automation.update(request.params.task_type, request.body),
  )

  serve(app, 'GET /automation/summaries', async (request) => ({
    summaries: await summaries.list(null, request.query.limit, principalOf(request).language),
  }))

  serve(app, 'GET /me/summaries', async (request) => {
    const { user, language } = principalOf(request)
    return { summaries: await summaries.list(user.id, request.query.limit, language) }
  })
}
