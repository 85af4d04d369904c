import type { Language, Recurrence } from '@mira/shared'
import { anyMonthName, monthSources, shortWeekdays, weekdaySources } from './calendar-names.ts'

type ByLanguage<T> = Readonly<Record<Language, T>>

const workdays: Recurrence = { every: 1, unit: 'week', weekdays: [1, 2, 3, 4, 5] }
const weekends: Recurrence = { every: 1, unit: 'week', weekdays: [6, 7] }
/** Source of a pattern for any abbreviated weekday with its full stop. */
const anyShort = (language: Language) => String.raw`(?:${shortWeekdays[language].join('|')})\.`
const each = (unit: Recurrence['unit']): Recurrence => ({ every: 1, unit })

/** "pills daily at 8", "daily standup at 9", but not "buy a daily planner". */
const englishAdverb = (word: string) =>
  new RegExp(
    String.raw`^\s*${word}\b|\b${word}(?= reminders?\b)|(?<!\b(?:a|an|the|my|our|his|her|their|your|this) )\b${word}(?=\s*(?:$|[,.;:!?]|(?:\d|(?:at|on|in|from|by|before|after|with|starting|for|until|and)\b)))`,
    'iu',
  )

/**
 * Phrases for recurrence: complete ones (`fixed`), words before a unit or weekday (`every`), and words between the two that mean
 * every second one (`other`). Some patterns accept an adjective at the start of the text, since that's where it is in what's left
 * of "pon un recordatorio diario para …".
 */
export const recurrenceWords: ByLanguage<{ fixed: [RegExp, Recurrence][]; every: string; other: string }> = {
  en: {
    fixed: [
      [/\b(?:every|each) (?:weekday|working day|work day)s?\b|\bon weekdays\b/iu, workdays],
      [
        new RegExp(String.raw`\b(?:every|each) (?=\d{1,2}(?:st|nd|rd|th)?(?: of)? ${anyMonthName})`, 'iu'),
        each('year'),
      ],
      [/\b(?:7|seven) days (?:a|per|each|every) week\b/iu, each('day')],
      [/\b(?:every|each) weekend\b|\b(?:on|at) weekends\b/iu, weekends],
      [/\b(?:every|each) (?=(?:morning|afternoon|evening|night)\b)/iu, each('day')],
      [englishAdverb('hourly'), each('hour')],
      [englishAdverb('daily'), each('day')],
      [englishAdverb('weekly'), each('week')],
      [englishAdverb('monthly'), each('month')],
      [englishAdverb('(?:yearly|annually)'), each('year')],
    ],
    every: String.raw`\bevery|\beach|\bon(?=\s+\w+days\b)`,
    other: 'other|second',
  },
  es: {
    fixed: [
      [/(?:todos los días laborables|de lunes a viernes|cada día laborable)(?!\p{L})/iu, workdays],
      [/(?<!\p{L})(?:de lun\.? a vie|lun\.? ?[-–] ?vie(?=\.?,? a las? \d))\.?(?!\p{L})/iu, workdays],
      [new RegExp(String.raw`(?<!\p{L})(?:todos los|cada) (?=\d{1,2} de ${monthSources.es})`, 'iu'), each('year')],
      [/(?<!\p{L})(?:los )?(?:7|siete) días (?:a la|por) semana(?!\p{L})/iu, each('day')],
      [/(?:los|todos los|cada) fin(?:es)? de semana(?!\p{L})/iu, weekends],
      [/(?:todas las|cada) (?=(?:mañana|tarde|noche)s?(?!\p{L}))/iu, each('day')],
      [/(?:^\s*diario|(?<!\p{L})(?:diariamente|a diario))(?!\p{L})/iu, each('day')],
      [/(?:^\s*semanal|(?<!\p{L})semanalmente)(?!\p{L})/iu, each('week')],
      [/(?:^\s*mensual|(?<!\p{L})mensualmente)(?!\p{L})/iu, each('month')],
      [/(?:^\s*anual|(?<!\p{L})anualmente)(?!\p{L})/iu, each('year')],
    ],
    every: String.raw`(?<!\p{L})(?:cada|todos los|todas las|los(?=\s+(?:${weekdaySources.es}s?(?!\p{L})|${anyShort('es')})))`,
    other: 'dos|segund[oa]',
  },
  fr: {
    fixed: [
      [/(?:tous les jours ouvr(?:és|ables)|du lundi au vendredi|en semaine)(?!\p{L})/iu, workdays],
      [/(?<!\p{L})(?:du lun\.? au ven|lun\.? ?[-–] ?ven(?=\.?,? à \d))\.?(?!\p{L})/iu, workdays],
      [new RegExp(String.raw`(?<!\p{L})(?:tous les|chaque) (?=\d{1,2}(?:er)? ${monthSources.fr})`, 'iu'), each('year')],
      [
        /(?<!\p{L})(?:7 ?j(?:ours)?(?: ?\/ ?| sur )7|(?:7|sept) jours (?:sur sept|par semaine))(?!\p{L})/iu,
        each('day'),
      ],
      [/(?:tous les|chaque) week-?ends?(?!\p{L})/iu, weekends],
      [/(?:chaque|tous les) (?=(?:matin|soir)s?(?!\p{L}))/iu, each('day')],
      [/(?:^\s*quotidien|(?<!\p{L})quotidiennement)(?!\p{L})/iu, each('day')],
      [/^\s*hebdomadaire(?!\p{L})/iu, each('week')],
      [/^\s*annuel(?!\p{L})/iu, each('year')],
      [/(?:^\s*mensuel|(?<!\p{L})mensuellement)(?!\p{L})/iu, each('month')],
    ],
    every: String.raw`(?<!\p{L})(?:chaque|tous les|toutes les|les(?=\s+(?:${weekdaySources.fr}s(?!\p{L})|${anyShort('fr')})))`,
    other: 'deux|second',
  },
  de: {
    fixed: [
      [new RegExp(String.raw`(?<!\p{L})(?:jeden|an jedem) (?=\d{1,2}\. ?${monthSources.de})`, 'iu'), each('year')],
      [/(?<!\p{L})(?:7|sieben) Tage (?:die|in der|pro) Woche(?!\p{L})/iu, each('day')],
      [/(?:werktags|montags bis freitags|von Montag bis Freitag)(?!\p{L})/iu, workdays],
      [/(?<!\p{L})(?:(?:jeden|von) Mo\.? bis Fr|Mo\.? ?[-–] ?Fr(?=\.?,? um \d))\.?(?!\p{L})/iu, workdays],
      [/jedes Wochenende(?!\p{L})/iu, weekends],
      [/jeden (?=(?:Morgen|Vormittag|Nachmittag|Abend)(?!\p{L}))/iu, each('day')],
      [/(?<!\p{L}|und )stündlich(?!\p{L})/iu, each('hour')],
      [/(?<!\p{L}|und )täglich(?!\p{L})/iu, each('day')],
      [/(?<!\p{L}|und )wöchentlich(?!\p{L})/iu, each('week')],
      [/(?<!\p{L}|und )monatlich(?!\p{L})/iu, each('month')],
      [/(?<!\p{L}|und )jährlich(?!\p{L})/iu, each('year')],
    ],
    every: String.raw`(?<!\p{L})(?:jeden|jede|jedes|alle)`,
    other: 'zwei|zweite[nrs]?',
  },
}

/** Units after "every". */
export const units: ByLanguage<[Recurrence['unit'], string][]> = {
  en: [
    ['minute', 'minutes?|mins?'],
    ['hour', 'hours?'],
    ['day', 'days?'],
    ['week', 'weeks?'],
    ['month', 'months?'],
    ['year', 'years?'],
  ],
  es: [
    ['minute', 'minutos?'],
    ['hour', 'horas?'],
    ['day', 'días?|dias?'],
    ['week', 'semanas?'],
    ['month', 'mes(?:es)?'],
    ['year', 'años?'],
  ],
  fr: [
    ['minute', 'minutes?'],
    ['hour', 'heures?'],
    ['day', 'jours?'],
    ['week', 'semaines?'],
    ['month', 'mois'],
    ['year', 'ans?|années?'],
  ],
  de: [
    ['minute', 'Minuten?'],
    ['hour', 'Stunden?'],
    ['day', 'Tage?'],
    ['week', 'Wochen?'],
    ['month', 'Monate?'],
    ['year', 'Jahre?'],
  ],
}
