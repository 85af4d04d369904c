import {
  deleteDataSchema,
  deletedDataSchema,
  exportQuerySchema,
  exportTicketSchema,
  preferencesSchema,
  updatePreferencesSchema,
} from '@mira/shared'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { dispositionOf } from '../../../platform/http/file-answer.ts'
import { mayKnowSetup } from '../../../platform/http/hidden-setup.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { DeletionService } from './deletion.service.ts'
import type { ExportService } from './export.service.ts'
import type { PreferencesService } from './preferences.service.ts'

export interface AccountRoutesOptions {
  exports: ExportService
  deletion: DeletionService
  preferences: PreferencesService
  addressOf(request: FastifyRequest): string
}

/** /me/…: what a person chose, what they take along, and what they delete. */
export async function accountRoutes(
  fastify: FastifyInstance,
  { exports, deletion, preferences, addressOf }: AccountRoutesOptions,
): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.get(
    '/me/preferences',
    {
      config: { access: 'user' },
      schema: { summary: 'Read what the caller chose', tags: ['My data'], response: { 200: preferencesSchema } },
    },
    async (request) => preferences.read(principalOf(request).user.id),
  )

  app.patch(
    '/me/preferences',
    {
      config: { access: 'user' },
      schema: {
        summary: 'Change what the caller chose, for all of their devices',
        tags: ['My data'],
        body: updatePreferencesSchema,
        response: { 200: preferencesSchema },
      },
    },
    async (request) => preferences.update(principalOf(request).user.id, request.body),
  )

  app.post(
    '/me/export',
    {
      // what it gives out is read
      config: { access: 'user', scope: 'read' },
      schema: {
        summary: 'Make an address that a browser loads an export of everything from',
        description: 'It opens for five minutes. A script can read GET /me/export with its token at once.',
        tags: ['My data'],
        response: { 200: exportTicketSchema },
      },
    },
    async (request) => exports.ticket(principalOf(request).user.id),
  )

  app.get(
    '/me/export',
    {
      config: { access: 'user', signed: true, bound: 'whole_export' },
      schema: {
        summary: 'Export everything that is the caller’s',
        description:
          'A ZIP archive of any size: every row as JSON, conversations as Markdown, the originals of all files, and a manifest ' +
          'with the SHA-256 of each. At most three begin in a minute.',
        tags: ['My data'],
        querystring: exportQuerySchema,
        file: 'application/zip',
        errors: [429],
      },
    },
    async (request, reply) => {
      const { user, language, timeZone } = principalOf(request)
      const { export_id: exportId } = request.query
      const reader = {
        ...user,
        name: user.full_name ?? user.username,
        language,
        timeZone,
        mayKnowSetup: mayKnowSetup(request),
      }
      const name = `mira-export-${user.username}-${new Date().toISOString().slice(0, 10)}.zip`
      return reply
        .headers({
          'content-type': 'application/zip',
          'content-disposition': dispositionOf('attachment', name),
          'cache-control': 'no-store',
        })
        .send(exports.open(reader, exportId))
    },
  )

  app.delete(
    '/me/data',
    {
      config: { access: 'user', sessionOnly: true },
      schema: {
        summary: 'Delete everything that is the caller’s, but not the account',
        tags: ['My data'],
        body: deleteDataSchema,
        response: { 200: deletedDataSchema },
        errors: [403, 429],
      },
    },
    async (request) => {
      const { password } = request.body
      const given = { password, address: addressOf(request) }
      return { deleted: await deletion.deleteData(principalOf(request).user.id, given) }
    },
  )
}
