import { z } from 'zod'
import { VOICE_MAX_BYTES } from '../constants/limits.ts'
import { speakSchema, transcribeFieldsSchema, transcriptSchema } from '../voice.ts'
import { updateWebSettingsSchema, webSettingsSchema, webStateSchema } from '../web.ts'
import { routes } from './route.ts'

export const voiceRoutes = routes({
  'POST /voice/transcribe': {
    access: 'voice',
    isPatient: true,
    bodyLimit: VOICE_MAX_BYTES,
    summary: 'Write down what is said',
    description:
      'A recording of at most 25 MB and 10 minutes, judged by its content. It is not kept. A request that is given up stops the work.',
    tag: 'Voice',
    form: transcribeFieldsSchema.extend({ file: z.file() }),
    response: { 200: transcriptSchema },
    errors: [413, 415, 422, 429, 503, 507],
  },
  'POST /voice/speak': {
    access: 'voice',
    summary: 'Read a text aloud',
    description: 'Marks of Markdown are left out. The sound comes as it is made.',
    tag: 'Voice',
    body: speakSchema,
    file: ['audio/mpeg', 'audio/wav', 'audio/ogg', 'audio/flac'],
    errors: [429, 503, 507],
  },
  'GET /web': {
    access: 'chat',
    summary: 'Tell whether conversations may look things up on the web',
    description: 'A conversation does so once its `parameters` say `use_web`.',
    tag: 'Chat',
    response: { 200: webStateSchema },
  },
  'GET /admin/web': {
    access: 'admin',
    summary: 'Tell what is decided about the web',
    tag: 'Admin',
    response: { 200: webSettingsSchema },
  },
  'PUT /admin/web': {
    access: 'admin',
    sessionOnly: true,
    audit: 'web.changed',
    summary: 'Decide whether the web may be looked at, and what searches it',
    description:
      'The search is tried before this answers; what goes wrong then is in `check`. The key is kept encrypted; it is ' +
      'written, and never read.',
    tag: 'Admin',
    body: updateWebSettingsSchema,
    response: { 200: webSettingsSchema },
  },
  'POST /admin/web/test': {
    access: 'admin',
    sessionOnly: true,
    audit: 'web.tested',
    summary: 'Search the web once',
    description: 'What goes wrong is in `check`.',
    tag: 'Admin',
    response: { 200: webSettingsSchema },
  },
})
