import type { MediaDetail, MediaItem } from '@mira/shared'
import { chaptersOf } from './chapters.ts'
import type { DetailMoment, FoundDetail } from './detail.store.ts'
import { readWaveform } from './waveform.ts'

/** An item with all that was found in it, as the contract says it; `address` makes a signed path of a file of the item. */
export function presentDetail(
  item: MediaItem,
  { moments, parts, waveform, pageTitles, sourceGoneAt }: FoundDetail,
  suggestedTags: string[],
  address: (file: string) => string,
): MediaDetail {
  const ofKind = (kind: DetailMoment['kind']) => moments.filter((moment) => moment.kind === kind)
  const texts = ofKind('text')
  const captions = ofKind('caption')
  const frameTexts = Map.groupBy(texts, ({ frameNumber }) => frameNumber)
  const frameCaptions = new Map(captions.map(({ frameNumber, body }) => [frameNumber, body]))
  const engines = Map.groupBy(moments, ({ engine }) => engine)
  return {
    ...item,
    segments: ofKind('speech').map(({ id, startSeconds, endSeconds, body, isLocked }) => ({
      id,
      start: startSeconds ?? 0,
      end: endSeconds ?? startSeconds ?? 0,
      text: body,
      is_locked: isLocked,
    })),
    frames: parts
      .filter(({ kind }) => kind === 'frame')
      .map(({ number, startSeconds }) => ({
        frame_number: number,
        timestamp_seconds: startSeconds ?? 0,
        thumbnail: address(`frames/${number}`),
        caption: frameCaptions.get(number) ?? null,
        extracted_text:
          frameTexts
            .get(number)
            ?.map(({ body }) => body)
            .join('\n') ?? null,
      })),
    chapters: chaptersOf(moments, parts, item.duration),
    pages: presentPages(texts, { parts, pageTitles }, address),
    words: parts.find(({ kind }) => kind === 'picture')?.words ?? [],
    waveform: readWaveform(waveform),
    locked: [
      ...(captions.some(isLockedWhole) ? (['caption'] as const) : []),
      ...(texts.some(isLockedWhole) ? (['extracted_text'] as const) : []),
    ],
    suggested_tags: suggestedTags,
    source_gone_at: sourceGoneAt,
    moments_by_engine: Object.fromEntries([...engines].map(([engine, ofEngine]) => [engine, ofEngine.length])),
  }
}

function isLockedWhole({ isLocked, frameNumber, page }: DetailMoment): boolean {
  return isLocked && frameNumber === null && page === null
}

function presentPages(
  texts: DetailMoment[],
  { parts, pageTitles }: Pick<FoundDetail, 'parts' | 'pageTitles'>,
  address: (file: string) => string,
): MediaDetail['pages'] {
  const byPage = Map.groupBy(texts, ({ page }) => page)
  const drawn = new Map(parts.filter(({ kind }) => kind === 'page').map((part) => [part.number, part]))
  // a sheet without a word has its name
  const named = pageTitles.map((_, index) => index + 1)
  const numbers = new Set([...drawn.keys(), ...named, ...[...byPage.keys()].filter((page) => page !== null)])
  return [...numbers]
    .sort((one, other) => one - other)
    .map((page) => {
      const passages = byPage.get(page) ?? []
      const picture = drawn.get(page)
      return {
        page,
        title: pageTitles[page - 1] || null,
        text: joinPassages(passages),
        thumbnail: picture ? address(`pages/${page}`) : null,
        width: picture?.width ?? null,
        height: picture?.height ?? null,
        is_locked: passages.some(({ isLocked }) => isLocked),
      }
    })
}

/** Passages part a text; where the blanks between two were left out, there is a line between them. */
function joinPassages(passages: DetailMoment[]): string {
  const [first] = passages
  if (first === undefined) return ''
  const start = first.characterOffset ?? 0
  let text = ''
  for (const { body, characterOffset } of passages) {
    const isApart = text !== '' && (characterOffset === null || characterOffset - start > text.length)
    text += isApart ? `\n${body}` : body
  }
  return text.trim() === '' ? '' : text
}
