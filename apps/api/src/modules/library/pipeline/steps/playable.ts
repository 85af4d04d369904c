import type { AvInfo } from '../../../../parsers/video/av.ts'

const filmCodecs: Record<string, { video: RegExp; audio: RegExp }> = {
  mp4: { video: /^h264$/, audio: /^(aac|mp3)$/ },
  mov: { video: /^h264$/, audio: /^(aac|mp3)$/ },
  webm: { video: /^(vp8|vp9|av1)$/, audio: /^(opus|vorbis)$/ },
}
/** Without Ogg (not in every Safari) and raw AAC (not seekable in browsers). */
const soundCodecs: Record<string, RegExp> = {
  mp3: /^mp3$/,
  wav: /^pcm_(u8|s16le|s24le|f32le)$/,
  flac: /^flac$/,
  m4a: /^(aac|mp3)$/,
  mp4: /^(aac|mp3)$/,
  webm: /^(opus|vorbis)$/,
}

/** True when every browser plays the file as it is. */
export function isPlayable(format: string, { video, audio }: AvInfo): boolean {
  if (video === null) return audio !== null && (soundCodecs[format]?.test(audio.codec) ?? false)
  const codecs = filmCodecs[format]
  if (codecs === undefined || !codecs.video.test(video.codec)) return false
  // 10 bits or 4:2:2 and 4:4:4 chroma play hardly anywhere
  const isPlain = video.codec !== 'h264' || /^yuvj?420p$/.test(video.pixelFormat ?? '')
  return isPlain && (audio === null || codecs.audio.test(audio.codec))
}
