import {
  createFactSchema,
  factSchema,
  factsQuerySchema,
  factsResponseSchema,
  instructionsSchema,
  updateFactSchema,
  updateInstructionsSchema,
} from '../about-me.ts'
import { idParamsSchema } from '../timestamp.ts'
import { noContentSchema, routes } from './route.ts'

export const aboutMeRoutes = routes({
  'GET /me/instructions': {
    access: 'user',
    summary: 'Read what holds in every conversation of the caller',
    tag: 'My data',
    response: { 200: instructionsSchema },
  },
  'PATCH /me/instructions': {
    access: 'user',
    answersStored: true,
    summary: 'Change what holds in every conversation of the caller',
    description: 'What is left out stays; an empty text takes it back. It holds from the next answer on.',
    tag: 'My data',
    body: updateInstructionsSchema,
    response: { 200: instructionsSchema },
  },
  'GET /me/facts': {
    access: 'user',
    summary: 'List the remembered facts',
    description: 'The newest first. `query` is looked for in their texts.',
    tag: 'My data',
    query: factsQuerySchema,
    response: { 200: factsResponseSchema },
  },
  'POST /me/facts': {
    access: 'user',
    summary: 'Have a fact remembered',
    description: 'The same text again answers 200 with the fact that is there.',
    tag: 'My data',
    body: createFactSchema,
    response: { 200: factSchema, 201: factSchema },
    errors: [409],
  },
  'PATCH /me/facts/:id': {
    access: 'user',
    answersStored: true,
    summary: 'Change a remembered fact',
    tag: 'My data',
    params: idParamsSchema,
    body: updateFactSchema,
    response: { 200: factSchema },
  },
  'DELETE /me/facts/:id': {
    access: 'user',
    summary: 'Forget a remembered fact',
    tag: 'My data',
    params: idParamsSchema,
    response: { 204: noContentSchema },
  },
})
