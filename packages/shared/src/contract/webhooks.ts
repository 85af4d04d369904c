import { idParamsSchema } from '../timestamp.ts'
import {
  createdHookSchema,
  createHookSchema,
  hookDeliveriesQuerySchema,
  hookDeliveriesResponseSchema,
  hookDeliverySchema,
  hooksQuerySchema,
  hooksResponseSchema,
} from '../webhooks.ts'
import { noContentSchema, routes } from './route.ts'

export const webhooksRoutes = routes({
  'GET /me/hooks': {
    access: 'user',
    summary: 'List the hooks',
    description: 'Newest first, each with what it was told last.',
    tag: 'Hooks',
    query: hooksQuerySchema,
    response: { 200: hooksResponseSchema },
  },
  'POST /me/hooks': {
    // it would go on sending after the token is revoked
    access: 'user',
    sessionOnly: true,
    summary: 'Add a hook',
    description:
      'The secret is shown in this answer alone. Deliveries are signed with it as Standard Webhooks says: `webhook-id`, ' +
      '`webhook-timestamp` and `webhook-signature`. `automation.run` is for administrators. An API token cannot add one.',
    tag: 'Hooks',
    body: createHookSchema,
    response: { 201: createdHookSchema },
    errors: [403, 409],
  },
  'DELETE /me/hooks/:id': {
    access: 'user',
    summary: 'Delete a hook',
    description: 'With its log, and with what waits to be delivered.',
    tag: 'Hooks',
    params: idParamsSchema,
    response: { 204: noContentSchema },
  },
  'POST /me/hooks/:id/test': {
    access: 'user',
    bound: 'hook_test',
    summary: 'Send a trial to a hook',
    description: 'Once, and at once: the answer tells what came of it.',
    tag: 'Hooks',
    params: idParamsSchema,
    response: { 200: hookDeliverySchema },
    errors: [429],
  },
  'GET /me/hooks/:id/deliveries': {
    access: 'user',
    summary: 'List what a hook was told',
    description: 'Newest first; kept for 30 days.',
    tag: 'Hooks',
    params: idParamsSchema,
    query: hookDeliveriesQuerySchema,
    response: { 200: hookDeliveriesResponseSchema },
  },
})
