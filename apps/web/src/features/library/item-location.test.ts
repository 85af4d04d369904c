import { describe, expect, it } from 'vitest'
import { hasWords, locationOfWords, markWords, readItemLocation } from './item-location.ts'
import { indexOfLastStart, waveBars } from './player.ts'

const location = (query: string) => readItemLocation(new URLSearchParams(query))
const marked = (text: string, words: string) =>
  markWords(text, words)
    .map(({ text: part, isMarked }) => (isMarked ? `[${part}]` : part))
    .join('')

it('a link contains a time, a page, a frame, search words and an image region', () => {
  expect(location('t=65.2&page=3&frame=4&q=red%20boat&box=0.1,0.2,0.5,0.25')).toEqual({
    seconds: 65.2,
    page: 3,
    frame: 4,
    words: 'red boat',
    box: [0.1, 0.2, 0.5, 0.25],
  })
})

it('an invalid link contains no location', () => {
  const noLocation = { seconds: null, page: null, frame: null, box: null, words: '' }
  expect(location('t=-1&page=2.5&frame=x')).toEqual(noLocation)
  for (const box of ['1,2', '0,0,0,1', '0.5,0,0.6,1', 'a,b,c,d', '0,0,1,1,1'])
    expect(location(`box=${box}`)).toEqual(noLocation)
  expect(location('t=&page=')).toEqual(noLocation)
})

describe('search words', () => {
  it('locate the page, time or frame with most of them', () => {
    const page = (number: number, text: string) => ({
      page: number,
      title: null,
      text,
      thumbnail: null,
      width: null,
      height: null,
      is_locked: false,
    })
    const segment = (start: number, text: string) => ({ id: 'a', start, end: start + 5, text, is_locked: false })
    const frame = { frame_number: 4, timestamp_seconds: 40, thumbnail: '', caption: 'A heron', extracted_text: null }
    const pages = [page(1, 'The lease'), page(2, 'Notice of three months ends the lease'), page(3, 'Notice, lease')]
    const video = { pages: [], segments: [segment(0, 'Hello'), segment(65, 'The lease ends')], frames: [frame] }
    expect(locationOfWords({ pages, segments: [], frames: [] }, 'lease NOTICE')).toEqual({ page: 2 })
    expect(locationOfWords(video, 'lease')).toEqual({ seconds: 65 })
    expect(locationOfWords(video, 'heron')).toEqual({ frame: 4 })
    expect(locationOfWords(video, 'walrus')).toBeNull()
  })

  it('are highlighted regardless of case, only at the start of words', () => {
    expect(marked('The Ferry, ferries and offerry', 'ferr')).toBe('The [Ferr]y, [ferr]ies and offerry')
  })

  it('are highlighted anywhere in scripts without spaces', () => {
    expect(marked('東京都の家賃は九万円', '家賃 万')).toBe('東京都の[家賃]は九[万]円')
    expect(marked('ค่าเช่าบ้าน and rent', 'เช่า rent')).toBe('ค่า[เช่า]บ้าน and [rent]')
  })

  it('may contain special characters', () => {
    expect(marked('Rate 3.5 (net)', '3.5 (net')).toBe('Rate [3].[5] ([net])')
    expect(marked('Größe über alles', 'ÜBER')).toBe('Größe [über] alles')
    expect(marked('a well-known b', 'well-known')).toBe('a [well-known] b')
  })

  it('highlight nothing when they are empty', () => {
    expect(marked('Text', '  ..  ')).toBe('Text')
    expect(hasWords('Text', '')).toBe(false)
    expect(marked('', 'x')).toBe('')
  })
})

it('the current sentence is the last one that has started', () => {
  const starts = [1, 4, 9]
  expect([0, 1, 3.9, 3.97, 9, 100].map((time) => indexOfLastStart(starts, time))).toEqual([-1, 0, 0, 1, 2, 2])
  expect(indexOfLastStart([], 3)).toBe(-1)
})

describe('the bars of a waveform', () => {
  it('have the requested number, with the loudest at full height', () => {
    expect(waveBars([0, 0.25, 0.5, 0.25], 2)).toEqual([0.5, 1])
    expect(waveBars([0.5], 3)).toEqual([1, 1, 1])
  })

  it('stay visible in silence', () => {
    expect(waveBars([0, 0], 2)).toEqual([0.03, 0.03])
  })
})
