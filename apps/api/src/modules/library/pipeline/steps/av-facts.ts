import { cutText } from '@mira/shared/constants/cut-text'
import type { AvInfo } from '../../../../parsers/video/av.ts'
import {
  type Coordinates,
  coordinatesOf,
  type TakenTime,
  takenTimeOf,
  takenTimeOfName,
  takenTimeOfUtc,
} from '../../../../platform/lib/taken-time.ts'
import { type ItemFacts, TAKEN_FROM_NAME } from '../step.ts'

const videoCodecs: Record<string, { video: RegExp; audio: RegExp }> = {
  mp4: { video: /^h264$/, audio: /^(aac|mp3)$/ },
  mov: { video: /^h264$/, audio: /^(aac|mp3)$/ },
  webm: { video: /^(vp8|vp9|av1)$/, audio: /^(opus|vorbis)$/ },
}
/** Without Ogg (unsupported by some versions of Safari) and raw AAC (not seekable in browsers). */
const soundCodecs: Record<string, RegExp> = {
  mp3: /^mp3$/,
  wav: /^pcm_(u8|s16le|s24le|f32le)$/,
  flac: /^flac$/,
  m4a: /^(aac|mp3)$/,
  mp4: /^(aac|mp3)$/,
  webm: /^(opus|vorbis)$/,
}

/** True when every browser plays the original file. */
export function isPlayable(format: string, { video, audio }: AvInfo): boolean {
  if (video === null) return audio !== null && (soundCodecs[format]?.test(audio.codec) ?? false)
  const codecs = videoCodecs[format]
  if (codecs === undefined || !codecs.video.test(video.codec)) return false
  // Hardly any browser plays 10 bits, or 4:2:2 or 4:4:4 chroma.
  const hasCommonPixelFormat = video.codec !== 'h264' || /^yuvj?420p$/.test(video.pixelFormat ?? '')
  return hasCommonPixelFormat && (audio === null || codecs.audio.test(audio.codec))
}

type TakenFacts = Required<Pick<ItemFacts, 'takenAt' | 'takenLocal' | 'details'>>

/** Time taken, as facts of an item. When the file contains none, it's the time in its name, marked as such. */
export function takenFacts(takenTime: TakenTime | null, filename: string, place: Coordinates | null): TakenFacts {
  if (takenTime !== null) return { takenAt: takenTime.at, takenLocal: takenTime.local, details: {} }
  const nameTime = takenTimeOfName(filename, place)
  if (nameTime === null) return { takenAt: null, takenLocal: null, details: {} }
  return { takenAt: nameTime.at, takenLocal: nameTime.local, details: { taken_from: TAKEN_FROM_NAME } }
}

/** Local times, most of them with their UTC offset. */
const takenTags = ['com.apple.quicktime.creationdate', 'date_recorded']
const placeTags = ['com.apple.quicktime.location.iso6709', 'location', 'location-eng']
const makerTags = ['com.apple.quicktime.make', 'com.android.manufacturer', 'make']
const modelTags = ['com.apple.quicktime.model', 'com.android.model', 'model']
/** Tags that have separate fields, or that are dropped: the place is stored only on request. */
const excludedTags = /^(com\.|creation_time$|location|gps|make$|model$|geo|xyz|language$)/
/** Apple's identifier shared by a video and its picture. */
const IDENTIFIER_TAG = 'com.apple.quicktime.content.identifier'
const CAMERA_MAX_CHARACTERS = 100

/** Metadata of a video or recording as facts of its item. */
export function factsOfAv(info: AvInfo, format: string, filename = ''): ItemFacts {
  const { durationSeconds, video, audio, tags } = info
  const place = placeOf(firstOf(tags, placeTags))
  const times = takenTags.map((name) => takenTimeOf(tags[name] ?? '', '', place))
  const takenTime =
    times.find((time) => time !== null) ??
    takenTimeOfUtc(tags.creation_time ?? '', place) ??
    takenTimeOf(recorderTimeOf(tags), '', place)
  const { takenAt, takenLocal, details: takenDetails } = takenFacts(takenTime, filename, place)
  const identifier = tags[IDENTIFIER_TAG]
  return {
    ...(video ? { width: video.width, height: video.height } : {}),
    durationSeconds,
    takenAt,
    takenLocal,
    camera: cameraOf(firstOf(tags, makerTags), firstOf(tags, modelTags)),
    latitude: place?.latitude ?? null,
    longitude: place?.longitude ?? null,
    details: {
      ...Object.fromEntries(Object.entries(tags).filter(([name]) => !excludedTags.test(name))),
      ...takenDetails,
      container: format,
      ...(identifier ? { content_identifier: identifier } : {}),
      ...(video ? { video_codec: video.codec } : {}),
      ...(video?.framesPerSecond ? { frames_per_second: Math.round(video.framesPerSecond * 100) / 100 } : {}),
      ...(audio ? { audio_codec: audio.codec, sample_rate: audio.sampleRate, channels: audio.channels } : {}),
    },
  }
}

/** Date and time that field recorders write separately into WAV files (Broadcast Wave); '' for other files. */
function recorderTimeOf({ date = '', creation_time: time = '' }: Record<string, string>): string {
  return /^\d{2}.\d{2}.\d{2}$/.test(time) ? `${date} ${time}` : ''
}

function firstOf(tags: Record<string, string>, names: string[]): string | undefined {
  return names.map((name) => tags[name]).find((value) => value !== undefined)
}

function cameraOf(maker: string | undefined, model: string | undefined): string | null {
  const modelIncludesMaker = maker !== undefined && model?.toLowerCase().startsWith(maker.toLowerCase())
  const camera = [modelIncludesMaker ? undefined : maker, model].filter(Boolean).join(' ')
  return cutText(camera, CAMERA_MAX_CHARACTERS) || null
}

/** Parses ISO 6709: +48.2082+016.3738+151/ */
function placeOf(value: string | undefined): Coordinates | null {
  const [, latitude, longitude] = /^([+-]\d{1,2}(?:\.\d+)?)([+-]\d{1,3}(?:\.\d+)?)/.exec(value ?? '')?.map(Number) ?? []
  return coordinatesOf(latitude, longitude)
}
