import type { Language } from '@mira/shared'
import { DateTime } from 'luxon'
import { describe, expect, test } from 'vitest'
import { readReminderTime } from './reminder-times.ts'

const zone = 'Europe/Madrid'
/** A Wednesday. */
const now = DateTime.fromISO('2026-05-06T10:00', { zone }).toJSDate()
const local = (date: Date) => DateTime.fromJSDate(date, { zone }).toFormat("yyyy-MM-dd'T'HH:mm")

/** Parsed time and remaining text, in one line. */
function read(sentence: string, language: Language, at = now): string {
  const { time, rest } = readReminderTime(sentence, { language, timeZone: zone, now: at })
  const text = rest.replace(/\s+/g, ' ').trim()
  switch (time.kind) {
    case 'at':
      return `${local(time.at)} ${text}`
    case 'recurring': {
      const { every, unit, weekdays, time: clock } = time.recurrence
      const days = weekdays ? ` on ${weekdays.join()}` : ''
      return `every ${every} ${unit}${days}${clock ? ` ${clock}` : ''} from ${local(time.from)} ${text}`
    }
    case 'no_time':
      return time.hasDay ? 'a day without a time' : 'no time'
    case 'skipped':
      return `skipped until ${time.later.toFormat('HH:mm')}`
    case 'past':
      return 'past'
  }
}

const once: [Language, string, string][] = [
  ['en', 'in two months at 9am call Anna', '2026-07-06T09:00 call Anna'],
  ['de', 'in zwei Monaten um 9 Uhr Anna anrufen', '2026-07-06T09:00 Anna anrufen'],
  ['fr', 'dans deux mois à 9h appeler Anna', '2026-07-06T09:00 appeler Anna'],
  ['es', 'en dos meses a las 9 llamar a Anna', '2026-07-06T09:00 llamar a Anna'],
  ['en', 'next month at 9am call Anna', '2026-06-06T09:00 call Anna'],
  ['en', 'on April 31 at 9am call Anna', 'no time'],
  ['en', 'in June at 9am call Anna', 'no time'],
  ['es', 'en junio a las 9 llamar a Anna', 'no time'],
  ['de', 'im Juni um 9 Uhr Anna anrufen', 'no time'],
  ['fr', 'en juin à 9h appeler Anna', 'no time'],
  ['en', 'on 29 February at 9am call Anna', '2028-02-29T09:00 call Anna'],
  ['en', 'on February 29th at 9am call Anna', '2028-02-29T09:00 call Anna'],
  ['de', 'am 29. Februar um 9 Uhr Anna anrufen', '2028-02-29T09:00 Anna anrufen'],
  ['fr', 'le 29 février à 9h appeler Anna', '2028-02-29T09:00 appeler Anna'],
  ['es', 'el 29 de febrero a las 9 llamar a Anna', '2028-02-29T09:00 llamar a Anna'],
  ['en', 'on 29 February 2032 at 9am call Anna', '2032-02-29T09:00 call Anna'],
  ['en', 'call Anna tomorrow at 5pm', '2026-05-07T17:00 call Anna'],
  ['en', 'tea in 20 minutes', '2026-05-06T10:20 tea'],
  ['en', 'in half an hour tea', '2026-05-06T10:30 tea'],
  ['en', 'tea in an hour and a half', '2026-05-06T11:30 tea'],
  ['en', 'tea at 9', '2026-05-07T09:00 tea'],
  ['en', 'tea at 5', '2026-05-06T17:00 tea'],
  ['en', 'tea at 17:45', '2026-05-06T17:45 tea'],
  ['en', 'tea at noon', '2026-05-06T12:00 tea'],
  ['en', 'tea tonight', '2026-05-06T21:00 tea'],
  ['en', 'tea tomorrow morning', '2026-05-07T09:00 tea'],
  ['en', 'tea on Monday at 8:30 am', '2026-05-11T08:30 tea'],
  ['en', 'tea on Wednesday at 9am', '2026-05-13T09:00 tea'],
  ['en', 'tea the day after tomorrow at half past 7', '2026-05-08T07:30 tea'],
  ['en', 'tea on 24 December at 18:00', '2026-12-24T18:00 tea'],
  ['en', 'pay rent on the 15th at noon', '2026-05-15T12:00 pay rent'],
  ['en', 'tea in 2 weeks at 9:30', '2026-05-20T09:30 tea'],
  ['en', 'tea in 3 days', '2026-05-09T10:00 tea'],
  ['en', 'read the May report tomorrow at 8', '2026-05-07T08:00 read the May report'],
  ['es', 'llamar a Ana mañana a las 5 de la tarde', '2026-05-07T17:00 llamar a Ana'],
  ['es', 'té dentro de 20 minutos', '2026-05-06T10:20 té'],
  ['es', 'té en media hora', '2026-05-06T10:30 té'],
  ['es', 'té pasado mañana a las 8', '2026-05-08T08:00 té'],
  ['es', 'té mañana por la mañana', '2026-05-07T09:00 té'],
  ['es', 'té el próximo viernes a las 9 y media', '2026-05-08T09:30 té'],
  ['es', 'té el lunes a las 17:00h', '2026-05-11T17:00 té'],
  ['es', 'té el 15 de mayo a mediodía', '2026-05-15T12:00 té'],
  ['es', 'té la semana que viene a las 9', '2026-05-13T09:00 té'],
  ['es', 'té el mes que viene a las 9', '2026-06-06T09:00 té'],
  ['es', 'té a las 9', '2026-05-07T09:00 té'],
  ['es', 'té esta noche', '2026-05-06T21:00 té'],
  ['fr', 'appeler Anne demain à 17h', '2026-05-07T17:00 appeler Anne'],
  ['fr', 'thé dans 20 minutes', '2026-05-06T10:20 thé'],
  ['fr', 'thé dans une demi-heure', '2026-05-06T10:30 thé'],
  ['fr', 'thé après-demain à 8h30', '2026-05-08T08:30 thé'],
  ['fr', 'thé vendredi prochain à 9 heures', '2026-05-08T09:00 thé'],
  ['fr', 'thé la semaine prochaine à 9h', '2026-05-13T09:00 thé'],
  ['fr', 'thé le mois prochain à 9h', '2026-06-06T09:00 thé'],
  ['fr', 'thé ce soir', '2026-05-06T19:00 thé'],
  ['fr', 'thé le 15 mai à midi', '2026-05-15T12:00 thé'],
  ['fr', 'thé demain à 5 heures du soir', '2026-05-07T17:00 thé'],
  ['de', 'Anna morgen um 17 Uhr anrufen', '2026-05-07T17:00 Anna anrufen'],
  ['de', 'Tee in 20 Minuten', '2026-05-06T10:20 Tee'],
  ['de', 'Tee in einer halben Stunde', '2026-05-06T10:30 Tee'],
  ['de', 'Tee übermorgen um 8', '2026-05-08T08:00 Tee'],
  ['de', 'Tee morgen um halb neun', '2026-05-07T08:30 Tee'],
  ['de', 'Tee morgen früh', '2026-05-07T09:00 Tee'],
  ['de', 'Tee am Montag um 9 Uhr 15', '2026-05-11T09:15 Tee'],
  ['de', 'Tee am 15. Mai um 12 Uhr', '2026-05-15T12:00 Tee'],
  ['de', 'Tee heute Abend', '2026-05-06T19:00 Tee'],
  ['de', 'Tee morgen um 5 Uhr nachmittags', '2026-05-07T17:00 Tee'],
  ['de', 'heute Nachmittag um 3 Tee', '2026-05-06T15:00 Tee'],
  ['de', 'am Freitagabend um 8 Tee', '2026-05-08T20:00 Tee'],
  ['de', 'Tee am 15.5. um 9', '2026-05-15T09:00 Tee'],
  ['de', 'Tee am 15.5. um 9 Uhr', '2026-05-15T09:00 Tee'],
  ['de', 'Tee Freitag nächster Woche um 9 Uhr', '2026-05-15T09:00 Tee'],
  ['de', 'Tee nächste Woche Freitag um 9 Uhr', '2026-05-15T09:00 Tee'],
  ['de', 'Tee in einer Stunde und 30 Minuten', '2026-05-06T11:30 Tee'],
  ['de', 'Tee in zweieinhalb Stunden', '2026-05-06T12:30 Tee'],
  ['de', 'Tee in 1,5 Stunden', '2026-05-06T11:30 Tee'],
  ['de', 'Tee morgen um acht', '2026-05-07T08:00 Tee'],
  ['de', 'Tee morgen um Viertel vor acht', '2026-05-07T07:45 Tee'],
  ['de', 'Tee an Heiligabend um 18 Uhr', '2026-12-24T18:00 Tee'],
  ['de', 'Tee Silvester um 18 Uhr', '2026-12-31T18:00 Tee'],
  ['de', 'morgen früh um 7 Tee', '2026-05-07T07:00 Tee'],
  ['en', 'next week Friday at 9am tea', '2026-05-15T09:00 tea'],
  ['en', 'tea a week from Friday at 9am', '2026-05-15T09:00 tea'],
  ['en', 'tea in one and a half hours', '2026-05-06T11:30 tea'],
  ['en', 'tea in 1h30', '2026-05-06T11:30 tea'],
  ['en', 'tea tomorrow at half past eight', '2026-05-07T08:30 tea'],
  ['en', 'tea tomorrow at eight', '2026-05-07T08:00 tea'],
  ['en', 'look at one thing tomorrow at 9', '2026-05-07T09:00 look at one thing'],
  ['en', 'on Christmas Eve at 6pm tea', '2026-12-24T18:00 tea'],
  ['en', 'tea on Halloween at 6pm', '2026-10-31T18:00 tea'],
  ['es', 'té el viernes por la mañana a las 9', '2026-05-08T09:00 té'],
  ['es', 'té el viernes de la semana que viene a las 9', '2026-05-15T09:00 té'],
  ['es', 'té en 1,5 horas', '2026-05-06T11:30 té'],
  ['es', 'té en dos horas y media', '2026-05-06T12:30 té'],
  ['es', 'té mañana a las ocho', '2026-05-07T08:00 té'],
  ['es', 'té en Nochebuena a las 18:00', '2026-12-24T18:00 té'],
  ['fr', 'thé le 15/6 à 9h', '2026-06-15T09:00 thé'],
  ['fr', 'acheter 1/2 baguette demain à 9h', '2026-05-07T09:00 acheter 1/2 baguette'],
  ['fr', 'thé vendredi de la semaine prochaine à 9h', '2026-05-15T09:00 thé'],
  ['fr', 'thé dans 1h30', '2026-05-06T11:30 thé'],
  ['fr', 'thé dans deux heures et demie', '2026-05-06T12:30 thé'],
  ['fr', 'thé demain à huit heures', '2026-05-07T08:00 thé'],
  ['fr', 'thé demain à midi et demi', '2026-05-07T12:30 thé'],
  ['en', 'tea tomorrow at ten to nine', '2026-05-07T08:50 tea'],
  ['en', 'tea at 17h', '2026-05-06T17:00 tea'],
  ['en', 'tea in a fortnight at 9am', '2026-05-20T09:00 tea'],
  ['en', 'on the 1st of June at 9 tea', '2026-06-01T09:00 tea'],
  ['en', 'tea tonight at 2', '2026-05-07T02:00 tea'],
  ['en', 'tea tonight at 5', '2026-05-06T17:00 tea'],
  ['en', 'tea tonight at 4:30 am', '2026-05-07T04:30 tea'],
  ['en', 'tea on the 15th of this month at 9', '2026-05-15T09:00 tea'],
  ['en', 'tea on the 15th of next month at 9', '2026-06-15T09:00 tea'],
  ['de', 'Tee am 1.6.26 um 9 Uhr', '2026-06-01T09:00 Tee'],
  ['de', 'Tee am ersten Juni um 9 Uhr', '2026-06-01T09:00 Tee'],
  ['de', 'am Montagmorgen um 9 Tee', '2026-05-11T09:00 Tee'],
  ['de', 'Tee am Freitag in einer Woche um 9', '2026-05-15T09:00 Tee'],
  ['de', 'Tee morgen in einer Woche um 9', '2026-05-14T09:00 Tee'],
  ['de', 'Tee übernächsten Montag um 9', '2026-05-18T09:00 Tee'],
  ['de', 'Tee übernächste Woche um 9', '2026-05-20T09:00 Tee'],
  ['de', 'Tee am Wochenende um 10', '2026-05-09T10:00 Tee'],
  ['de', 'Tee am Monatsende um 9', '2026-05-31T09:00 Tee'],
  ['de', 'Tee heute Nacht um 2', '2026-05-07T02:00 Tee'],
  ['de', 'Tee morgen um fünf vor halb neun', '2026-05-07T08:25 Tee'],
  ['de', 'Tee morgen um zehn nach acht', '2026-05-07T08:10 Tee'],
  ['de', 'Tee morgen gegen 9', '2026-05-07T09:00 Tee'],
  ['es', 'té en 2 horas y 15 minutos', '2026-05-06T12:15 té'],
  ['es', 'té a las 17.30', '2026-05-06T17:30 té'],
  ['es', 'té mañana a las cinco menos diez', '2026-05-07T04:50 té'],
  ['es', 'té este fin de semana a las 10', '2026-05-09T10:00 té'],
  ['es', 'té a fin de mes a las 9', '2026-05-31T09:00 té'],
  ['es', 'té esta madrugada a las 2', '2026-05-07T02:00 té'],
  ['fr', 'thé dans 2 heures et 15 minutes', '2026-05-06T12:15 thé'],
  ['fr', 'thé le premier juin à 9h', '2026-06-01T09:00 thé'],
  ['fr', 'thé le 1er juin 2026 à 9h', '2026-06-01T09:00 thé'],
  ['fr', 'thé le 1/6/26 à 9h', '2026-06-01T09:00 thé'],
  ['fr', 'thé vendredi en huit à 9h', '2026-05-15T09:00 thé'],
  ['fr', 'thé ce week-end à 10h', '2026-05-09T10:00 thé'],
  ['fr', 'thé à la fin du mois à 9h', '2026-05-31T09:00 thé'],
  ['fr', 'thé dans quinze jours à 9h', '2026-05-21T09:00 thé'],
  ['fr', 'thé cette nuit à 2h', '2026-05-07T02:00 thé'],
]

const recurring: [Language, string, string][] = [
  ['en', 'every Monday at 9 water the plants', 'every 1 week on 1 09:00 from 2026-05-06T10:00 water the plants'],
  ['en', 'stand up every 45 minutes', 'every 45 minute from 2026-05-06T10:45 stand up'],
  ['en', 'pills daily at 8am', 'every 1 day 08:00 from 2026-05-06T10:00 pills'],
  ['en', 'gym every Tuesday and Friday at 18:00', 'every 1 week on 2,5 18:00 from 2026-05-06T10:00 gym'],
  ['en', 'mail every weekday at 9:15', 'every 1 week on 1,2,3,4,5 09:15 from 2026-05-06T10:00 mail'],
  ['en', 'bins every other Thursday at 7pm', 'every 2 week on 4 19:00 from 2026-05-06T10:00 bins'],
  ['en', 'rent every month on the 31st at 9am', 'every 1 month 09:00 from 2026-05-31T09:00 rent'],
  ['en', 'every 31st at 9am pay rent', 'every 1 month 09:00 from 2026-05-31T09:00 pay rent'],
  ['en', 'rent on the first of each month at 9am', 'every 1 month 09:00 from 2026-06-01T09:00 rent'],
  ['en', 'birthday every year on 24 December at 9am', 'every 1 year 09:00 from 2026-12-24T09:00 birthday'],
  ['en', 'walk every morning', 'every 1 day 09:00 from 2026-05-06T10:00 walk'],
  ['es', 'plantas cada lunes a las 9', 'every 1 week on 1 09:00 from 2026-05-06T10:00 plantas'],
  ['es', 'pastillas todos los días a las 8 de la tarde', 'every 1 day 20:00 from 2026-05-06T10:00 pastillas'],
  ['es', 'paseo todas las mañanas', 'every 1 day 09:00 from 2026-05-06T10:00 paseo'],
  ['fr', 'marche tous les matins', 'every 1 day 09:00 from 2026-05-06T10:00 marche'],
  ['de', 'Spaziergang jeden Abend', 'every 1 day 19:00 from 2026-05-06T10:00 Spaziergang'],
  ['es', 'alquiler cada día 15 a las 9', 'every 1 month 09:00 from 2026-05-15T09:00 alquiler'],
  ['es', 'el día 1 de cada mes a las 9 alquiler', 'every 1 month 09:00 from 2026-06-01T09:00 alquiler'],
  ['es', 'agua cada 15 días a las 9', 'every 15 day 09:00 from 2026-05-06T10:00 agua'],
  ['fr', 'loyer tous les 15 du mois à 9h', 'every 1 month 09:00 from 2026-05-15T09:00 loyer'],
  ['fr', 'eau tous les 2 jours à 9h', 'every 2 day 09:00 from 2026-05-06T10:00 eau'],
  ['de', 'Miete jeden 15. um 9 Uhr', 'every 1 month 09:00 from 2026-05-15T09:00 Miete'],
  ['de', 'am 1. jedes Monats um 9 Uhr Miete', 'every 1 month 09:00 from 2026-06-01T09:00 Miete'],
  ['es', 'agua cada 2 horas', 'every 2 hour from 2026-05-06T12:00 agua'],
  ['es', 'gimnasio todos los martes y jueves a las 18:00', 'every 1 week on 2,4 18:00 from 2026-05-06T10:00 gimnasio'],
  ['fr', 'plantes tous les lundis à 9h', 'every 1 week on 1 09:00 from 2026-05-06T10:00 plantes'],
  ['fr', 'pilule chaque jour à 20h', 'every 1 day 20:00 from 2026-05-06T10:00 pilule'],
  ['fr', 'eau toutes les 2 heures', 'every 2 hour from 2026-05-06T12:00 eau'],
  ['de', 'Pflanzen jeden Montag um 9 Uhr', 'every 1 week on 1 09:00 from 2026-05-06T10:00 Pflanzen'],
  ['de', 'Tabletten täglich um 20 Uhr', 'every 1 day 20:00 from 2026-05-06T10:00 Tabletten'],
  ['de', 'Wasser alle 2 Stunden', 'every 2 hour from 2026-05-06T12:00 Wasser'],
  ['de', 'Miete jeden Monat am 15. um 9 Uhr', 'every 1 month 09:00 from 2026-05-15T09:00 Miete'],
  ['de', 'montags um 9 Uhr Müll', 'every 1 week on 1 09:00 from 2026-05-06T10:00 Müll'],
  ['es', 'los lunes a las 9 basura', 'every 1 week on 1 09:00 from 2026-05-06T10:00 basura'],
  ['fr', 'les lundis à 9h poubelle', 'every 1 week on 1 09:00 from 2026-05-06T10:00 poubelle'],
  ['en', 'Mondays at 9am bins', 'every 1 week on 1 09:00 from 2026-05-06T10:00 bins'],
  ['en', 'every first of the month at 9am rent', 'every 1 month 09:00 from 2026-06-01T09:00 rent'],
  ['de', 'jeden ersten des Monats um 9 Uhr Miete', 'every 1 month 09:00 from 2026-06-01T09:00 Miete'],
  ['fr', 'le 1er de chaque mois à 9h loyer', 'every 1 month 09:00 from 2026-06-01T09:00 loyer'],
  ['de', 'jeden Morgen Tabletten', 'every 1 day 09:00 from 2026-05-06T10:00 Tabletten'],
  ['es', 'cada mañana pastillas', 'every 1 day 09:00 from 2026-05-06T10:00 pastillas'],
  ['en', 'every night pills', 'every 1 day 21:00 from 2026-05-06T10:00 pills'],
  ['de', 'wochentags um 9 Uhr Tee', 'every 1 week on 1,2,3,4,5 09:00 from 2026-05-06T10:00 Tee'],
  ['es', 'entre semana a las 7 gimnasio', 'every 1 week on 1,2,3,4,5 07:00 from 2026-05-06T10:00 gimnasio'],
]

const refused: [Language, string, string][] = [
  ['en', 'tea in -3 minutes', 'past'],
  ['en', 'tea yesterday at 5', 'past'],
  ['en', 'tea today at 9', 'past'],
  ['en', 'tea on 1 May 2026 at 9', 'past'],
  ['en', 'tea 5 minutes ago', 'past'],
  ['en', 'tea last Monday at 9', 'past'],
  ['en', 'report every last Friday of the month at 5pm', 'no time'],
  ['en', 'report on the first Monday of every month at 9', 'no time'],
  ['es', 'té el lunes pasado a las 9', 'past'],
  ['es', 'informe el primer lunes de cada mes a las 9', 'no time'],
  ['fr', 'thé lundi dernier à 9h', 'past'],
  ['fr', 'rapport le premier lundi du mois à 9h', 'no time'],
  ['de', 'Tee letzten Montag um 9 Uhr', 'past'],
  ['de', 'Bericht am ersten Montag im Monat um 9 Uhr', 'no time'],
  ['en', 'tea', 'no time'],
  ['en', 'tea tomorrow', 'a day without a time'],
  ['en', 'tea every Monday', 'a day without a time'],
  ['es', 'té en -3 minutos', 'past'],
  ['es', 'té ayer a las 5', 'past'],
  ['es', 'té mañana', 'a day without a time'],
  ['fr', 'thé dans -3 minutes', 'past'],
  ['fr', 'thé hier à 17h', 'past'],
  ['fr', 'thé demain', 'a day without a time'],
  ['de', 'Tee in -3 Minuten', 'past'],
  ['de', 'Tee gestern um 17 Uhr', 'past'],
  ['de', 'Tee morgen', 'a day without a time'],
  ['de', 'Tee am 31.2. um 9 Uhr', 'no time'],
  ['en', 'tea at Easter at 9am', 'no time'],
]

describe('a reminder for a time', () => {
  test.each([...once, ...recurring, ...refused])('in %s: %s', (language, sentence, expected) => {
    expect(read(sentence, language)).toBe(expected)
  })

  test.each<[Language, string]>([
    ['en', 'tea on 29 March 2026 at 2:30'],
    ['es', 'té el 29 de marzo de 2026 a las 2:30'],
    ['fr', 'thé le 29 mars 2026 à 2h30'],
    ['de', 'Tee am 29. März 2026 um 2:30'],
  ])('that clocks go over is known as such in %s', (language, sentence) => {
    expect(read(sentence, language, new Date('2026-03-01T12:00:00Z'))).toBe('skipped until 03:30')
  })

  test.each<[Language, string, string, string]>([
    ['en', '02:15', 'tea tonight at 2:30', '2026-05-07T02:30 tea'],
    ['en', '02:45', 'tea tonight at 2:30', '2026-05-08T02:30 tea'],
    ['en', '02:15', 'tea tonight at 5', '2026-05-07T05:00 tea'],
    ['en', '21:00', 'tea tonight at 5', '2026-05-08T05:00 tea'],
    ['es', '02:15', 'té esta noche a las 2:30', '2026-05-07T02:30 té'],
    ['fr', '02:15', 'thé cette nuit à 2h30', '2026-05-07T02:30 thé'],
    ['de', '02:15', 'Tee heute Nacht um 2:30', '2026-05-07T02:30 Tee'],
    ['de', '12:00', 'Tee heute Nacht um 5', '2026-05-08T05:00 Tee'],
  ])('in %s at %s: %s', (language, clock, sentence, expected) => {
    expect(read(sentence, language, DateTime.fromISO(`2026-05-07T${clock}`, { zone }).toJSDate())).toBe(expected)
  })

  test('that clocks show twice is the first of the two, and lengths of time are real', () => {
    const before = new Date('2026-10-24T12:00:00Z')
    const reader = { language: 'en' as const, timeZone: zone, now: before }
    expect(readReminderTime('tea on 25 October 2026 at 2:30', reader).time).toEqual({
      kind: 'at',
      at: new Date('2026-10-25T00:30:00Z'),
    })
    const night = { ...reader, now: new Date('2026-10-25T00:30:00Z') }
    expect(readReminderTime('tea in 2 hours', night).time).toEqual({ kind: 'at', at: new Date('2026-10-25T02:30:00Z') })
  })
})
