/** The demuxer for each format of content; nothing else is ever tried, whatever a file claims inside. */
const demuxers: Record<string, string> = {
  ...sameDemuxer('mov', ['mp4', 'm4v', 'mov', 'qt', 'm4a', 'm4b', 'm4p', 'f4v', 'f4a', '3gp', '3g2', 'mj2']),
  ...sameDemuxer('matroska', ['mkv', 'mka', 'webm']),
  ...sameDemuxer('asf', ['asf', 'wmv', 'wma']),
  ...sameDemuxer('ogg', ['ogg', 'oga', 'ogv', 'ogm', 'ogx', 'opus', 'spx']),
  ...sameDemuxer('mp3', ['mp3', 'mp2', 'mp1']),
  ...sameDemuxer('avi', ['avi']),
  ...sameDemuxer('flv', ['flv']),
  ...sameDemuxer('wav', ['wav']),
  ...sameDemuxer('flac', ['flac']),
  ...sameDemuxer('aac', ['aac']),
  ...sameDemuxer('mpegts', ['mts']),
  ...sameDemuxer('mpeg', ['mpg']),
  ...sameDemuxer('mpegvideo', ['m1v']),
  ...sameDemuxer('aiff', ['aif']),
  ...sameDemuxer('caf', ['caf']),
  ...sameDemuxer('amr', ['amr']),
}

/** Formats whose length is estimated from the first seconds without a header. */
const estimating = new Set(['mp3', 'aac', 'amr', 'mpegvideo'])

/** FFmpeg's name of what takes files of a format apart; undefined when nothing should. */
export function demuxerOf(format: string): string | undefined {
  return Object.hasOwn(demuxers, format) ? demuxers[format] : undefined
}

/** True when the demuxer's duration may be a guess. */
export function guessesDuration(demuxer: string): boolean {
  return estimating.has(demuxer)
}

function sameDemuxer(demuxer: string, formats: string[]): Record<string, string> {
  return Object.fromEntries(formats.map((format) => [format, demuxer]))
}
