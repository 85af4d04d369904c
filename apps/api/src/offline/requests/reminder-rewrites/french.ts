import { anyMonthName, countOf, monthSources, weekdayPatterns, weekdaySources } from '../calendar-names.ts'
import { BARRIER } from '../time-results.ts'
import {
  afternoon,
  anHour,
  clockOf,
  hide,
  hourWordSource,
  minutesIn,
  number,
  pad,
  plainSpellings,
  type ReminderRewrites,
} from './rewrite.ts'

const quarters: Readonly<Record<string, number>> = { 'et quart': 15, 'moins le quart': -15 }
const minutes = minutesIn({ cinq: 5, dix: 10, vingt: 20, 'vingt-cinq': 25 })

export const frenchRewrites: ReminderRewrites = {
  phrases: [
    ...plainSpellings([['apres(?=[- ](?:midi|demain)(?!\\p{L}))', 'après']]),
    [/(?<!\p{L})entre (\d{1,2}h(?:\d\d)?) et \d{1,2}h(?:\d\d)?(?!\d)/giu, (_all, clock) => `à ${clock}`],
    [
      /(?<!\p{L}|(?:\p{L} |\d ?)(?=environ)|(?:\d ?h|minutes?|heures?|jours?|semaines?) )(?:(?:à )?environ|aux alentours de|autour de|à partir de|dès|vers|avant|après|jusqu['’]à) (?=\d{1,2} ?(?:h|heures?)(?!\p{L}))/giu,
      () => 'à ',
    ],
    [
      /(?<!\p{L}|\d|(?<!\p{L})[àa] )(?=\d{1,2} ?(?:h|heures?)(?: ?\d\d)? (?:(?:du|ce) (?:soir|matin)|(?:de l['’]|cet )après-midi|demain)(?!\p{L}))/giu,
      () => 'à ',
    ],
    // The part of the day belongs to the noun before it, not to the time: "la robe du soir vendredi à 9h".
    [
      new RegExp(String.raw`(?<!\p{L}|(?:ce|cet) )(soir|matin|après-midi) (?=${weekdaySources.fr}(?!\p{L}))`, 'giu'),
      (_all, part) => `${part}${BARRIER} `,
    ],
    // Here "mer" is the sea and "Sam" is Samuel, not the abbreviations of Wednesday and Saturday.
    [/(?<=(?<!\p{L})(?:la|une|de|en|haute|pleine) )mer(?![\p{L}.])/giu, hide],
    [/(?<=\p{L} )(?-i:Sam)(?![\p{L}.])/gu, hide],
    [new RegExp(String.raw`(?<!\p{L})(?:le )?(?:premier|1er) (?=${anyMonthName})`, 'giu'), () => '1 '],
    [
      new RegExp(String.raw`(?<!\p{L})à ${anHour('fr')} ?(?:h|heures?) moins ${minutes.source}(?!\p{L})`, 'giu'),
      (_all, hour, count) => `à ${clockOf(countOf(hour, 'fr'), -minutes.countOf(count)).replace(':', 'h')}`,
    ],
    [/(?<!\p{L})(?:ce|le) week-?end(?: prochain)?(?!\p{L})/giu, () => 'samedi'],
    [/^\s*midi(?=\s*[:,])/iu, () => 'à midi'],
    [
      /(?<!\p{L})à mi(di|nuit) (et demie?|et quart|moins le quart)(?!\p{L})/giu,
      (_all, ending = '', part = '') =>
        `à ${clockOf(/^di$/iu.test(ending) ? 12 : 0, quarters[part.toLowerCase()] ?? 30).replace(':', 'h')}`,
    ],
    [
      new RegExp(
        String.raw`(?<!(?:les|des|ces|mes|deux|et|,) )(?<!\p{L})(${weekdaySources.fr}s(?:(?:,| et) ${weekdaySources.fr}s)*)(?= à (?:\d|mi(?:di|nuit)))`,
        'giu',
      ),
      (_all, days) => `les ${days}`,
    ],
    [/(?<!\p{L})(?:chaque|toutes les) nuits?(?!\p{L})/giu, () => 'chaque jour nuitamment'],
    [/(?<!\p{L})(?:chaque|tous les) midis?(?!\p{L})(?=.* (?:à|vers) \d)/giu, () => 'chaque jour'],
    [/(?<!\p{L})(?:chaque|tous les) midis?(?!\p{L})/giu, () => 'chaque jour à midi'],
    [
      new RegExp(
        String.raw`(?<!\p{L})((?:${weekdayPatterns.fr.join('|')})(?: prochain)?|\d{1,2} ${monthSources.fr}(?: \d{4})?|demain|aujourd['\u2019]hui|ce|vers|pour) midi(?![\p{L}-])`,
        'giu',
      ),
      (_all, day) => (/^(?:ce|vers|pour)$/iu.test(day ?? '') ? 'à midi' : `${day} à midi`),
    ],
    [
      new RegExp(String.raw`(?<!\p{L})à (${hourWordSource('fr')}) heures?(?!\p{L})`, 'giu'),
      (_all, hour) => `à ${countOf(hour, 'fr')} heures`,
    ],
    [/(?<!\p{L})(à \d{1,2} ?(?:h|heures?)(?: ?\d\d)?) (?:pile|précises?)(?!\p{L})/giu, (_all, clock) => `${clock}`],
    [
      new RegExp(String.raw`(?<!\p{L})un (${weekdaySources.fr}|jour) sur deux(?!\p{L})`, 'giu'),
      (_all, day) => `tous les deux ${day}s`,
    ],
  ],
  clocks: [
    [
      new RegExp(String.raw`(?<!\p{L})(${weekdaySources.fr}|${monthSources.fr}|année|an) prochaine?(?!\p{L})`, 'giu'),
      (_all, name = '') => name,
    ],
    // "chapitre 7 à 21h" isn't a range from 7 to 21.
    [
      new RegExp(
        String.raw`(?<=\p{L} \d{1,3})(?<!(?:^|(?:${weekdaySources.fr}|${monthSources.fr}|\d{4}) )(?:de|entre) \d{1,2}) (?=à \d{1,2} ?(?:h|:))`,
        'giu',
      ),
      () => ` ${BARRIER}`,
    ],
    [/(\d{1,2}) ?h(?:eures?)? et demie?(?!\p{L})/giu, (_all, hour) => `${hour}h30`],
    [/(\d{1,2}) ?h(?:eures?)? et quart(?!\p{L})/giu, (_all, hour) => `${hour}h15`],
    [/(\d{1,2}) ?h(?:eures?)? moins le quart(?!\p{L})/giu, (_all, hour) => `${(number(hour) + 23) % 24}h45`],
    [
      /à (\d{1,2}) ?h(?:eures?)? ?(\d\d)? (?:de l['’]après-midi|du soir)(?!\p{L})/giu,
      (_all, hour, minutes) => `à ${afternoon(hour)}:${pad(minutes)}`,
    ],
    [
      /à (\d{1,2}) ?h(?:eures?)? ?(\d\d)? du mat(?:in)?(?!\p{L})/giu,
      (_all, hour, minutes) => `à ${hour}:${pad(minutes)}`,
    ],
    [/à (\d{1,2}) ?h(?:eures?)? ?(\d\d)?(?!\p{L}|\d)/giu, (_all, hour, minutes) => `à ${hour}:${pad(minutes)}`],
    [/(?<!\p{L})à midi(?!\p{L})/giu, () => 'à 12:00'],
    [/(?<!\p{L})à minuit(?!\p{L})/giu, () => 'à 0:00'],
  ],
}
