import type OpenAI from 'openai'
import { toFile } from 'openai/core/uploads'
import { EngineError } from '../../errors.ts'
import { say } from '../../sentences.ts'
import type { ImageEditor } from '../engine-types.ts'
import { callRemote } from './call.ts'
import type { Connection } from './connection.ts'
import { rejectsParameter } from './errors.ts'
import type { ModelRole } from './role.ts'

/** Models take a minute or two for a picture. */
const TIMEOUT_MS = 240_000
/** A picture of 1536 pixels as base64 takes some 5 MB. */
const MAX_BYTES = 40_000_000

/** Edits pictures (POST /images/edits) and draws new ones (POST /images/generations) with the image model. */
export function createRemoteImageEditor(connection: Connection, role: ModelRole): ImageEditor {
  const { client, address } = connection
  /** Newer models always send the picture itself, and refuse `response_format`; older models send a URL unless it's set. */
  const forms: { response_format?: 'b64_json' }[] = [{ response_format: 'b64_json' }, {}]

  /** Calls the server with or without `response_format`, whichever it accepts, and reads the picture. */
  const requestPicture = (
    ask: (model: string, form: { response_format?: 'b64_json' }, signal: AbortSignal) => Promise<OpenAI.ImagesResponse>,
    signal: AbortSignal,
  ) =>
    callRemote(
      { connection, role, signal, timeoutMs: TIMEOUT_MS, hasPictures: false, capability: 'image_edit' },
      async (model, callSignal) => {
        const request = () => ask(model, forms[0] ?? {}, callSignal)
        let response = await request().catch((error: unknown) => {
          if (forms.length === 1 || !rejectsParameter(error, /response_format/)) throw error
          forms.shift()
          return null
        })
        response ??= await request()
        const picture = response.data?.[0]?.b64_json
        // URLs from a server are never fetched.
        if (typeof picture !== 'string' || picture === '' || picture.length > MAX_BYTES) {
          throw new EngineError(say('picture_empty', { address }), { code: 'empty_answer' })
        }
        return { picture: Buffer.from(picture, 'base64'), model }
      },
    )

  return {
    engine: 'remote',
    model: role.model,
    edit: (picture, prompt, signal) =>
      requestPicture(async (model, form, callSignal) => {
        const image = await toFile(picture, 'picture.png', { type: 'image/png' })
        return (await client()).images.edit({ model, image, prompt, n: 1, ...form }, { signal: callSignal })
      }, signal),
    draw: (prompt, signal) =>
      requestPicture(
        async (model, form, callSignal) =>
          (await client()).images.generate({ model, prompt, n: 1, ...form }, { signal: callSignal }),
        signal,
      ),
  }
}
