import { expect, test } from 'vitest'
import { placeSegments } from './transcript.ts'

/** What is kept of a segment that was heard between words, as far as a model is sure of that. */
function keptOf(text: string, noSpeechProbability: number | null): string[] {
  const segment = { start: 0, end: 2, text, averageLogProbability: -0.2, noSpeechProbability }
  const piece = { text, language: null, segments: [segment] }
  return placeSegments(piece, { start: 0, seconds: 4 }, () => false).map((one) => one.text)
}

test.each([
  'Thanks for watching!',
  'Thank you so much for watching.',
  'Please like and subscribe.',
  '¡Gracias por ver el video!',
  'Gracias por ver.',
  'Suscríbete al canal',
  'Subtítulos realizados por la comunidad de Amara.org',
  "Merci d'avoir regardé cette vidéo !",
  'Merci d’avoir visionné cette vidéo.',
  'Sous-titrage Société Radio-Canada',
  "Sous-titrage ST' 501",
  'Sous-titres réalisés par la communauté d’Amara.org',
  'Vielen Dank fürs Zuschauen.',
  'Untertitel im Auftrag des ZDF für funk, 2017',
  'Untertitelung des ZDF, 2020',
  'Untertitelung. BR 2018',
  'Copyright WDR 2021',
  'Grazie per la visione!',
  'Sottotitoli creati dalla comunità Amara.org',
  'Legendas pela comunidade Amara.org',
  'Obrigado por assistir!',
])('nobody said "%s" where no speech is heard', (text) => {
  expect(keptOf(text, 0.5)).toEqual([])
  expect(keptOf(text, null)).toEqual([])
  expect(keptOf(text, 0.1)).toEqual([text])
})

test.each([
  'Thank you for coming.',
  'Gracias por venir a vernos.',
  'Gracias por verme esta tarde.',
  'Merci d’avoir attendu.',
  'Vielen Dank fürs Helfen.',
  'Untertitel brauche ich nicht, aber den Bericht schon.',
  'Subtitles are missing in the second part.',
  'Los subtítulos son de mi hermano.',
  'Sottotitoli o doppiaggio?',
])('"%s" is kept', (text) => {
  expect(keptOf(text, 0.5)).toEqual([text])
  expect(keptOf(text, null)).toEqual([text])
})
