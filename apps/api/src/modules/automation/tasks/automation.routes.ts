import { Readable } from 'node:stream'
import {
  automationHealthSchema,
  automationRunDetailSchema,
  automationRunsQuerySchema,
  automationRunsResponseSchema,
  automationStatusResponseSchema,
  automationTaskSchema,
  idParamsSchema,
  summariesQuerySchema,
  summariesResponseSchema,
  taskParamsSchema,
  triggerResponseSchema,
  triggerTaskSchema,
  updateTaskSchema,
} from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { dispositionOf } from '../../../platform/http/file-answer.ts'
import { noContentSchema } from '../../../platform/http/openapi.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { AutomationService } from './automation.service.ts'
import type { SummariesService } from './summaries.service.ts'

/** /automation/…: what runs by itself, for administrators; /me/…: a person's own summaries, and what they share. */
export async function automationRoutes(
  fastify: FastifyInstance,
  { automation, summaries }: { automation: AutomationService; summaries: SummariesService },
): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()
  const tags: ['Automation'] = ['Automation']

  app.get(
    '/automation/health',
    {
      config: { access: 'admin' },
      schema: { summary: 'Tell whether the automation is there', tags, response: { 200: automationHealthSchema } },
    },
    async () => ({ status: 'ok' as const, scheduler_running: automation.isRunning() }),
  )

  app.get(
    '/automation/status',
    {
      config: { access: 'admin' },
      schema: { summary: 'Tell how the tasks are', tags, response: { 200: automationStatusResponseSchema } },
    },
    async () => automation.status(),
  )

  app.get(
    '/automation/runs',
    {
      config: { access: 'admin' },
      schema: {
        summary: 'List runs, newest first',
        tags,
        querystring: automationRunsQuerySchema,
        response: { 200: automationRunsResponseSchema },
      },
    },
    async (request) => automation.runs(request.query),
  )

  app.get(
    '/automation/runs/:id',
    {
      config: { access: 'admin' },
      schema: {
        summary: 'Read a run with its steps and its log',
        tags,
        params: idParamsSchema,
        response: { 200: automationRunDetailSchema },
        errors: [404],
      },
    },
    async (request) => automation.run(request.params.id),
  )

  app.get(
    '/automation/runs/:id/dataset',
    {
      config: { access: 'admin' },
      schema: {
        summary: 'Download the training set of a run',
        description:
          'JSON lines in the chat format. An answer whose person has deleted it, or shares it no more, is not in it any more.',
        tags,
        params: idParamsSchema,
        file: 'application/jsonl',
        errors: [404],
      },
    },
    async (request, reply) => {
      const lines = await automation.dataset(request.params.id)
      return reply
        .headers({
          'content-type': 'application/jsonl; charset=utf-8',
          'content-disposition': dispositionOf('attachment', `mira-training-${request.params.id}.jsonl`),
          'cache-control': 'no-store',
        })
        .send(Readable.from(lines))
    },
  )

  app.post(
    '/automation/trigger',
    {
      config: { access: 'admin', audit: 'task.triggered' },
      schema: {
        summary: 'Run a task now',
        tags,
        body: triggerTaskSchema,
        response: { 202: triggerResponseSchema },
        errors: [409],
      },
    },
    async (request, reply) => {
      const { task_type: taskType, reason } = request.body
      return reply.code(202).send(await automation.trigger(taskType, reason, principalOf(request).user.id))
    },
  )

  app.post(
    '/automation/runs/:id/cancel',
    {
      config: { access: 'admin', audit: 'run.cancelled' },
      schema: {
        summary: 'Cancel a run',
        description: 'One that waits ends at once, one that goes on within seconds.',
        tags,
        params: idParamsSchema,
        response: { 204: noContentSchema },
        errors: [404, 409],
      },
    },
    async (request, reply) => {
      await automation.cancel(request.params.id)
      return reply.code(204).send()
    },
  )

  app.post(
    '/automation/runs/:id/retry',
    {
      config: { access: 'admin', audit: 'run.retried' },
      schema: {
        summary: 'Run the task of a run again',
        tags,
        params: idParamsSchema,
        response: { 202: triggerResponseSchema },
        errors: [404, 409],
      },
    },
    async (request, reply) =>
      reply.code(202).send(await automation.retry(request.params.id, principalOf(request).user.id)),
  )

  app.put(
    '/automation/tasks/:task_type',
    {
      config: { access: 'admin', audit: 'task.changed' },
      schema: {
        summary: 'Enable, disable or schedule a task',
        description: 'The schedule is cron text of five fields; null leaves the task to be triggered.',
        tags,
        params: taskParamsSchema,
        body: updateTaskSchema,
        response: { 200: automationTaskSchema },
      },
    },
    async (request) => automation.update(request.params.task_type, request.body),
  )

  app.get(
    '/automation/summaries',
    {
      config: { access: 'admin' },
      schema: {
        summary: 'List the weekly summaries of the instance, newest first',
        tags,
        querystring: summariesQuerySchema,
        response: { 200: summariesResponseSchema },
      },
    },
    async (request) => ({ summaries: await summaries.list(null, request.query.limit, principalOf(request).language) }),
  )

  app.get(
    '/me/summaries',
    {
      config: { access: 'user' },
      schema: {
        summary: 'List the weekly summaries of the caller, newest first',
        tags: ['My data'],
        querystring: summariesQuerySchema,
        response: { 200: summariesResponseSchema },
      },
    },
    async (request) => {
      const { user, language } = principalOf(request)
      return { summaries: await summaries.list(user.id, request.query.limit, language) }
    },
  )
}
