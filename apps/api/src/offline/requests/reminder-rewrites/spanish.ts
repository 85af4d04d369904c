import { anyMonthName, countOf, monthSources, weekdaySources } from '../calendar-names.ts'
import {
  afternoon,
  anHour,
  clockLookahead,
  clockOf,
  hide,
  hourWordSource,
  midnightAs0,
  minutesIn,
  number,
  pad,
  plainSpellings,
  type ReminderRewrites,
  timeOfDayCondition,
} from './rewrite.ts'

const minutes = minutesIn({
  ...{ cinco: 5, diez: 10, quince: 15, veinte: 20, veinticinco: 25, treinta: 30, 'treinta y cinco': 35 },
  ...{ cuarenta: 40, 'cuarenta y cinco': 45, cincuenta: 50, 'cincuenta y cinco': 55 },
})
/** Text right before a time of day: the beginning of the text, punctuation or a day. */
const beforeClock = String.raw`(?:^|[,.:;]\s|(?:hoy|mañana|tarde|noche|${weekdaySources.es})\s)`
/** Words after a number that make it a count: "a las dos niñas". */
const countedNouns = String.raw`(?:minutos?|horas?|días?|semanas?|mes(?:es)?|(?-i:(?!martes|antes|tras|menos)\p{Ll}+[ae]s))(?!\p{L})`
const hourOfRange = String.raw`\d{1,2}(?::\d\d)?|${hourWordSource('es')}`
const afterClock = String.raw`(?<=a las? \d{1,2}(?:[:.]\d\d)?,? )`

export const spanishRewrites: ReminderRewrites = {
  phrases: [
    // "a las 9 a. m."
    [/(?<=\d ?)([ap])\. ?m\.?(?!\p{L})/giu, (_all, letter) => `${letter}m`],
    // Of a range, the reminder is for the beginning: "desde las 4 hasta las 6 de la tarde", "de 5 a 7".
    [
      new RegExp(
        String.raw`(?<!\p{L})(?:desde|de|entre) las? (${hourOfRange})(?: de la (?:mañana|tarde|noche))? (?:hasta|a|y) las? (?:${hourOfRange})(?!\p{L}|:)`,
        'giu',
      ),
      (_all, hour) => `a las ${hour}`,
    ],
    [
      new RegExp(
        String.raw`(?<=\p{L} )de (${hourOfRange}) a (?:${hourOfRange})(?= de la (?:mañana|tarde|noche)|\s*(?:$|[.,;]))`,
        'giu',
      ),
      (_all, hour) => `a las ${hour}`,
    ],
    ...plainSpellings([
      ['manana', 'mañana'],
      ['proxim(?=[oa])', 'próxim'],
      ['dia(?=s?(?!\\p{L}))', 'día'],
      ['mediodia', 'mediodía'],
    ]),
    [
      /(?<!\p{L}|(?<!\p{L})(?:horas?|minutos?|media|cuarto|días?|semanas?) )(?:antes de|después de|despues de|a partir de|desde|hasta|alrededor de) (?=las? [\d\p{L}])/giu,
      () => 'a ',
    ],
    // "la factura de mayo a las 18:00"
    [
      new RegExp(
        String.raw`(?<=\p{L} de )(?<!(?<!\p{L})(?:primero|principios?|comienzos?|inicios?|mediados|finale?s?|fin(?:es)?|mes|semana|quincena|día|uno|\d+|${weekdaySources.es}|${hourWordSource('es')}) de )${monthSources.es}(?=,? a las? \d)`,
        'giu',
      ),
      hide,
    ],
    [
      new RegExp(
        String.raw`(?<!\p{L})(el |(?<=^\s*)|(?<=(?:${weekdaySources.es}),? )|(?=\p{L}+ de ${monthSources.es}${clockLookahead}))(uno|${hourWordSource('es')}) de (?=${anyMonthName})`,
        'giu',
      ),
      (_all, article, day) => `${article}${countOf(day, 'es') || 1} de `,
    ],
    [
      new RegExp(
        String.raw`(?<!\p{L})(?:en )?el día del? (hoy|(?:pasado )?mañana|${weekdaySources.es})(?!\p{L})`,
        'giu',
      ),
      (_all, day) => `${day}`,
    ],
    [
      new RegExp(String.raw`(?<!\p{L})(${weekdaySources.es}),? el (?=\d{1,2} de ${anyMonthName})`, 'giu'),
      (_all, weekday) => `${weekday}, `,
    ],
    // Not the score of a match.
    [
      new RegExp(
        String.raw`(?<!\p{L})((?:${afterClock}|(?=\D+\d+-\d+${clockLookahead}))el (?:día )?\d{1,2})-(?=\d{1,2}(?![\d-]))`,
        'giu',
      ),
      (_all, day) => `${day}/`,
    ],
    [
      new RegExp(
        String.raw`(?<!\p{L}|\d|las? |(?<!\p{L})(?:y|menos) |[:.])(?=(?:\d{1,2}|${hourWordSource('es')}) de la (?:mañana|tarde|noche|madrugada)(?!\p{L}))`,
        'giu',
      ),
      () => 'a las ',
    ],
    [/(?<!\p{L})((?:para|a) las? \d{1,2})\.(\d\d)(?!\d)/giu, (_all, clock, minutes) => `${clock}:${minutes}`],
    [
      new RegExp(String.raw`(?<!\p{L})(a las?) ${anHour('es')} menos ${minutes.source}(?!\p{L})`, 'giu'),
      (_all, at, hour, count) => `${at} ${clockOf(countOf(hour, 'es'), -minutes.countOf(count))}`,
    ],
    [
      new RegExp(String.raw`(?<!\p{L})(a las?) ${anHour('es')} y ${minutes.source}(?!\p{L})`, 'giu'),
      (_all, at, hour, count) => `${at} ${clockOf(countOf(hour, 'es'), minutes.countOf(count))}`,
    ],
    [/(?<!\p{L})(?:sobre|a eso de|hacia) las? (?=\d)/giu, () => 'a las '],
    [/(?<!\p{L})entre semana(?!\p{L})/giu, () => 'de lunes a viernes'],
    [
      /(?<!(?:todos|cada) )(?<!\p{L})(?:el|este) (?:próximo )?(?:fin de semana|finde)(?!\p{L})(?: que viene)?/giu,
      () => 'el sábado',
    ],
    [/(?<!\p{L})cada mañana(?!\p{L})/giu, () => 'todas las mañanas'],
    [
      new RegExp(
        String.raw`(?<!\p{L})(a las?) (${hourWordSource('es')})(?!\p{L})${timeOfDayCondition(beforeClock, 'las?', countedNouns)}`,
        'giu',
      ),
      (_all, at, hour) => `${at} ${countOf(hour, 'es')}`,
    ],
    [/(?<!\p{L})((?:para|a) las? \d{1,2}(?::\d\d)?) en punto(?!\p{L})/giu, (_all, clock) => `${clock}`],
    [
      new RegExp(String.raw`(?<!\p{L})un (${weekdaySources.es}|día) sí y (?:otro )?no(?!\p{L})`, 'giu'),
      (_all, day) => `cada dos ${day === 'día' ? 'días' : day}`,
    ],
    [/(?:cada|todas las) (tarde|noche)s?(?!\p{L})/giu, (_all, part) => `cada día por la ${part}`],
    // A time of day is read together with the words after it.
    [
      /(?:por|de|en) la (mañana|madrugada|tarde|noche),? (a las? \d{1,2}(?:[:.]\d\d| y (?:media|cuarto)(?!\p{L})| menos cuarto(?!\p{L})| ?h(?:oras)?(?!\p{L}))?)(?! (?:de|por) la)(?<!noche,? a las? (?:12|0?[0-4])(?:\D.*)?)/giu,
      (_all, part, clock) => `${clock} de la ${part}`,
    ],
  ],
  clocks: [
    [
      new RegExp(
        String.raw`(?<!\p{L})(?:próxim[oa] ((?:${weekdaySources.es}|\d{1,2} de)(?!\p{L}))|(${weekdaySources.es}|${monthSources.es}) (?:próximo|que viene)(?!\p{L}))`,
        'giu',
      ),
      (_all, after, before) => after ?? before ?? '',
    ],
    [/(\d{1,2}) y media(?!\p{L})/giu, (_all, hour) => `${hour}:30`],
    [/(\d{1,2}) y cuarto(?!\p{L})/giu, (_all, hour) => `${hour}:15`],
    [/(\d{1,2}) menos cuarto(?!\p{L})/giu, (_all, hour) => `${(number(hour) + 23) % 24}:45`],
    [
      /(?<!\p{L})(?:para|a) las? (?!(?:12|0?[0-4])(?!\d).{0,12} noche)(\d{1,2})(?:[:.](\d\d))? (?:horas )?(?:de|por) la (?:tarde|noche)(?!\p{L})/giu,
      (_all, hour, minutes) => `a las ${afternoon(hour)}:${pad(minutes)}`,
    ],
    [
      /(?<!\p{L})(?:para|a) las? (\d{1,2})(?:[:.](\d\d))? (?:horas )?(?:de|por) la (mañana|madrugada)(?!\p{L})/giu,
      // "las 12 de la mañana" is noon
      (_all, hour, minutes, part) => `a las ${part === 'madrugada' ? midnightAs0(hour) : hour}:${pad(minutes)}`,
    ],
    [
      /(?<!\p{L})(?:para|a) las? (\d{1,2})(?:[:.](\d\d))? ?(?:h|horas)(?!\p{L})/giu,
      (_all, hour, minutes) => `a las ${hour}:${pad(minutes)}`,
    ],
    [/(?<!\p{L})(?:para|a) las? (\d{1,2})(?![\d:])/giu, (_all, hour) => `a las ${hour}:00`],
    [/(?<!\p{L})al? mediodía(?!\p{L})/giu, () => 'a las 12:00'],
    [/(?<!\p{L})a medianoche(?!\p{L})/giu, () => 'a las 0:00'],
  ],
}
