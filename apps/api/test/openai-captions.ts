import type { ServerResponse } from 'node:http'
import sharp from 'sharp'
import { plainCompletion } from './openai-answers.ts'
import { type RecordedRequest, sendError, sendJson, type WireError } from './openai-wire.ts'

type Failure = WireError | 'hang'

/** Behaviour of image captions. */
export interface CaptionBehaviour {
  /** By default "A picture that is mostly red.", from its mean colour. */
  text?: string | ((colour: string) => string)
  finishReason?: string
  failure?: Failure | ((request: RecordedRequest) => Failure | undefined)
}

const colours: Record<string, [number, number, number]> = {
  black: [0, 0, 0],
  white: [255, 255, 255],
  gray: [128, 128, 128],
  red: [220, 30, 30],
  green: [30, 160, 30],
  blue: [30, 60, 220],
  yellow: [240, 220, 40],
  orange: [245, 140, 20],
  purple: [130, 40, 150],
  brown: [120, 75, 35],
  pink: [250, 160, 190],
  cyan: [40, 200, 220],
}

function pictureOf(request: RecordedRequest): string | null {
  const parts = request.body.messages?.flatMap(({ content }) => (Array.isArray(content) ? content : [])) ?? []
  const part = parts.find(({ type }: { type?: string }) => type === 'image_url')
  return (part as { image_url?: { url?: string } } | undefined)?.image_url?.url ?? null
}

export function hasPictures(request: RecordedRequest): boolean {
  return pictureOf(request) !== null
}

/** Describes the first image of a request. */
export async function answerCaption(
  request: RecordedRequest,
  response: ServerResponse,
  { text, failure: configuredFailure, finishReason = 'stop' }: CaptionBehaviour,
): Promise<void> {
  const failure = typeof configuredFailure === 'function' ? configuredFailure(request) : configuredFailure
  if (failure === 'hang') return
  if (failure) return sendError(response, failure)
  const bytes = Buffer.from((pictureOf(request) ?? '').replace(/^data:[^,]*,/, ''), 'base64')
  const colour = await mainColour(bytes).catch(() => null)
  if (colour === null) return sendError(response, { status: 400, message: 'Failed to load image or audio file' })
  const caption = typeof text === 'function' ? text(colour) : (text ?? `A picture that is mostly ${colour}.`)
  sendJson(response, plainCompletion(request, caption, finishReason))
}

async function mainColour(picture: Buffer): Promise<string> {
  const pixel = await sharp(picture).flatten().toColourspace('srgb').resize(1, 1, { fit: 'fill' }).raw().toBuffer()
  const distance = (colour: [number, number, number]) =>
    colour.reduce((sum, value, channel) => sum + (value - (pixel[channel] ?? 0)) ** 2, 0)
  const [nearest] = Object.entries(colours).toSorted(([, one], [, other]) => distance(one) - distance(other))
  return nearest?.[0] ?? 'black'
}
