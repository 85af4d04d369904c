import type { ServerResponse } from 'node:http'
import sharp from 'sharp'
import { type RecordedRequest, sendError, sendJson, type WireError } from './openai-wire.ts'

/** Behaviour of image edits and generation. */
export interface ImageEditBehaviour {
  /** Rejects `response_format`, as newer models of OpenAI do. */
  rejectsResponseFormat?: boolean
  /** Returns a URL instead of the image. */
  returnsUrl?: boolean
  failure?: WireError | 'hang'
}

/** Sends the image back with inverted colours. */
export async function answerImageEdit(
  request: RecordedRequest,
  response: ServerResponse,
  { rejectsResponseFormat, returnsUrl, failure }: ImageEditBehaviour,
): Promise<void> {
  if (failure === 'hang') return
  if (failure) return sendError(response, failure)
  const { image, response_format: responseFormat } = request.body
  if (rejectsResponseFormat && responseFormat !== undefined) {
    return sendError(response, { status: 400, message: `Unknown parameter: 'response_format'.` })
  }
  if (!(image instanceof Blob)) return sendError(response, { status: 400, message: 'image is required' })
  const picture = Buffer.from(await image.arrayBuffer())
  const { width, height, format } = await sharp(picture).metadata()
  request.body.image = { width, height, format }
  const drawn = await sharp(picture).negate({ alpha: false }).png().toBuffer()
  const data = returnsUrl ? { url: 'http://127.0.0.1:9/drawn.png' } : { b64_json: drawn.toString('base64') }
  sendJson(response, { created: 0, data: [data] })
}

/** Sends a blue image for every prompt. */
export async function answerImageGeneration(
  request: RecordedRequest,
  response: ServerResponse,
  { rejectsResponseFormat, returnsUrl, failure }: ImageEditBehaviour,
): Promise<void> {
  if (failure === 'hang') return
  if (failure) return sendError(response, failure)
  if (rejectsResponseFormat && request.body.response_format !== undefined) {
    return sendError(response, { status: 400, message: `Unknown parameter: 'response_format'.` })
  }
  const blue = { width: 64, height: 48, channels: 3 as const, background: '#2040ff' }
  const drawn = await sharp({ create: blue }).png().toBuffer()
  const data = returnsUrl ? { url: 'http://127.0.0.1:9/drawn.png' } : { b64_json: drawn.toString('base64') }
  sendJson(response, { created: 0, data: [data] })
}
