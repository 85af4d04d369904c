import { expect, test } from 'vitest'
import { cuesOfText, subtitlesFor, withoutAttachments } from './subtitles.ts'

const cue = { startSeconds: 61.5, endSeconds: 63, text: 'The marmot sleeps\nin b flat' }

test('reads the same cues from SubRip, WebVTT and SubStation, with the speaker from WebVTT', () => {
  expect(cuesOfText('7\n00:01:01,500 --> 00:01:03,000\n<i>The marmot sleeps</i>\nin b flat\n\n')).toEqual([cue])
  const vtt = 'WEBVTT\n\nNOTE 12\n\nfirst\n01:01.500 --> 01:03.000 align:start\n<v Ann>The marmot sleeps\nin b flat\n'
  expect(cuesOfText(vtt)).toEqual([{ ...cue, text: `Ann: ${cue.text}` }])
  const ass = '[Events]\nDialogue: 0,0:01:01.50,0:01:03.00,Main,,0,0,0,,{\\i1}The marmot sleeps\\Nin b flat\n'
  expect(cuesOfText(ass)).toEqual([cue])
})

test('reads no cues from a text without times or from a drawing', () => {
  expect(cuesOfText('Dear diary\n\n12\n')).toEqual([])
  const drawing = 'Dialogue: 0,0:00:01.00,0:00:02.00,Main,,0,0,0,,{\\p1}m 0 0 l 10 10\n'
  expect(cuesOfText(drawing)).toEqual([])
})

test('reads the video and language from the name of a subtitle file', () => {
  expect(subtitlesFor('Holiday 2020.srt')).toEqual({ names: ['Holiday 2020'], language: null })
  expect(subtitlesFor('Holiday.pt-BR.forced.VTT')).toEqual({
    names: ['Holiday.pt-BR.forced', 'Holiday'],
    language: 'pt',
  })
  expect(subtitlesFor('Holiday.mp4')).toBeNull()
})

test.each([
  ['Holiday.en.hi.srt', 'en'],
  ['Holiday.hi.srt', 'hi'],
  ['Holiday.es-419.vtt', 'es'],
  ['Holiday.zh-Hans.vtt', 'zh'],
  ['Holiday.en-orig.vtt', 'en'],
  ['Holiday.de.default.forced.srt', 'de'],
  ['Holiday.German.srt', 'German'],
  ['Holiday.forced.srt', null],
])('matches %s to its video', (filename, language) => {
  const subtitles = subtitlesFor(filename)
  expect(subtitles?.names).toContain('Holiday')
  expect(subtitles?.language).toBe(language)
})

test('reads each line of roll-up captions once, with its time', () => {
  const vtt = [
    'WEBVTT\n',
    '00:01.000 --> 00:03.000 align:start position:0%\n \nthe<00:01.500><c> marmot</c>\n',
    '00:03.000 --> 00:03.010 align:start position:0%\nthe marmot\n \n',
    '00:03.010 --> 00:05.000 align:start position:0%\nthe marmot\nsleeps<00:03.500><c> well</c>\n',
    '00:05.000 --> 00:05.010 align:start position:0%\nsleeps well\n \n',
  ].join('\n')
  expect(cuesOfText(vtt)).toEqual([
    { startSeconds: 1, endSeconds: 3.01, text: 'the marmot' },
    { startSeconds: 3.01, endSeconds: 5, text: 'sleeps well' },
  ])
})

const srt = (...blocks: string[]) => blocks.join('\n')
const first = '1\n00:00:01,000 --> 00:00:02,000\n'
test.each([
  [
    'empty lines within a cue',
    srt(`${first}帝国軍\n\n撃破\n`, '2\n00:00:03,000 --> 00:00:04,000\nOui\n'),
    ['帝国軍\n撃破', 'Oui'],
  ],
  [
    'an empty line after each line',
    srt(`${first}Hello\nyou\n`, '2\n00:00:03,000 --> 00:00:04,000\nOui\n').replaceAll('\n', '\n\n'),
    ['Hello\nyou', 'Oui'],
  ],
  ['no empty lines between cues', srt(`${first}two.`, '2\n00:00:03,000 -> 00:00:04,000\nOui'), ['two.', 'Oui']],
  [
    'numbers as texts',
    srt(`${first}hello\n5\ndon’t forget me.\n`, '2\n00:00:03,000 --> 00:00:04,000\ncredits\n2015\n'),
    ['hello\n5\ndon’t forget me.', 'credits\n2015'],
  ],
  [
    'no numbers',
    '00:00:01,000 --> 00:00:02,000\nsince\n1984\n\n00:00:03,000 --> 00:00:04,000\nOui\n',
    ['since\n1984', 'Oui'],
  ],
  [
    'no number before the first cue only',
    '00:00:01,000 --> 00:00:02,000\nby X\n\n1\n00:00:03,000 --> 00:00:04,000\nOui\n\n#2\n00:00:05,000 --> 00:00:06,000\nNon\n',
    ['by X', 'Oui', 'Non'],
  ],
  [
    'the number of a cue that was cut off',
    srt(`${first}two.\n`, '2\n00:00:03,000 --> 00:00:04,000\nOui\n\n3\n'),
    ['two.', 'Oui'],
  ],
  [
    'the number of a cue that was cut off, counted from 0',
    '0\n00:00:01,000 --> 00:00:02,000\nOne\n\n1\n00:00:03,000 --> 00:00:04,000\nOui\n\n2\n',
    ['One', 'Oui'],
  ],
  [
    'text in angle brackets',
    `${first}<<flash gordon\nepisode 4>>\n<I think so> <font color="red"><b>red</b></font>`,
    ['<<flash gordon\nepisode 4>>\n<I think so> red'],
  ],
])('reads all words from SubRip with %s', (_name, text, words) => {
  expect(cuesOfText(text).map((cue) => cue.text)).toEqual(words)
})

test('reads the dialogue of SubStation files with large fonts, many comments and short times', async () => {
  const font = `[Fonts]\nfontname: a.ttf\n${`${'[M'.repeat(39)}!]\n`.repeat(30_000)}\n`
  const events = `[Events]\n${'Comment: x\n'.repeat(30_000)}Dialogue: 1,0:0:1.5,0:0:4.00,Main,,0,0,0,,The marmot sleeps\n`
  const text = `[Script Info]\n; Fonts\n\n${font}${events}`
  expect(cuesOfText(text)).toEqual([{ startSeconds: 1.5, endSeconds: 4, text: 'The marmot sleeps' }])
  const inPieces = async (whole: string) => {
    async function* pieces() {
      for (let start = 0; start < whole.length; start += 65_536) yield whole.slice(start, start + 65_536)
    }
    let kept = ''
    for await (const piece of withoutAttachments(pieces())) kept += piece
    return kept
  }
  expect(await inPieces(text)).toBe(text.replace(font, ''))
  const settings = `size=1\n${font}`
  expect(await inPieces(settings)).toBe(settings)
})
