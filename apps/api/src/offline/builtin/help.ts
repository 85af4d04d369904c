import type { Language } from '@mira/shared'
import { plainWords } from '../language/language.ts'
import { type HelpSubject, helpActions, helpPlaces } from './help-words.ts'

const SETTINGS = '/dashboard?tab=settings'

/** Page of each subject. */
const links: Record<HelpSubject, string> = {
  upload: '/upload',
  formats: '/upload',
  import: SETTINGS,
  users: '/admin',
  backup: '/admin?tab=settings#backups',
  password: SETTINGS,
  theme: `${SETTINGS}#appearance`,
  language: `${SETTINGS}#region`,
  account: `${SETTINGS}#data`,
  share: '/chat',
  find: '/memory',
  // The dashboard shows only the next reminders.
  reminder: '/agents?agent=ReminderAgent',
  phone: `${SETTINGS}#preferences`,
  notifications: `${SETTINGS}#preferences`,
  effects: '/effects',
  settings: SETTINGS,
}

/** Articles and the like before a noun. */
const determiners =
  '(?:(?:an?|the|my|our|your|some|all|new|another|more|this|these|old|una?|el|l[ao]s?|mis?|nuev[oa]s?|otr[oa]s?|todos|toda|tus?|est[ae]|le|les|l|mon|ma|mes|une|des|du|de|d|nouveau|nouvel|nouvelle|autre|tou[ts]|toutes|cette|ce|ein|eine[nmrs]?|der|die|das|de[nm]|mein|meine[nmrs]?|neue[nmrs]?|weitere[nmrs]?|alle|diese[nmrs]?|unser|unsere[nmrs]?) )*'
const courtesies =
  '(?:(?:hey|hi|hello|please|ok|okay|so|and|mira|hola|oye|por favor|y|bonjour|salut|et|hallo|bitte|und|sag mal) )*(?:(?:tell|show) me )?'
const endings =
  '(?: (?:please|here|again|myself|(?:in|into|to|from|with|on|en|a|dans|sur|zu|bei) (?:mira|here|this app|this server|la app|l application|der app)|por favor|aqui|ici|s il (?:vous|te) plait|bitte|hier|denn))*'

const openings = {
  en: '(?:how (?:do|can|could|would|should) (?:i|we|you|one)|how to|where (?:do|can|could) (?:i|we)|can (?:i|we)|is it possible to|is there a way to)',
  es: '(?:(?:como|donde)(?: (?:puedo|podemos|puede uno|se puede|se|debo|hago para))?|puedo|podemos|se puede|es posible)',
  fr: '(?:(?:comment|ou)(?: est ce que)?(?: (?:puis je|peut on|pouvons nous|je peux|on peut|on|je|j|faire pour|dois je))?|puis je|peut on|est ce que (?:je peux|on peut)|est il possible (?:de|d))',
  de: '(?:(?:wie|wo) (?:kann|konnte|konnen) (?:ich|man|wir)|(?:kann|konnen) (?:ich|man|wir))',
}
const whereIs =
  '(?:where (?:are|is|s|do i find|can i find)|donde (?:estan?|encuentro|puedo encontrar)|ou (?:sont|est|se trouvent?|trouver|puis je trouver)|wo (?:sind|ist|finde ich|kann ich))'

const withDeterminers = (objects = '') => `${determiners}(?:${objects})`

/** Objects of "can you read …" in general: with "my photos" or "this document", it's a request rather than a question. */
const withGeneralDeterminers = (objects = '') =>
  `(?!(?:all |toutes |todos |tous |alle )?(?:my|our|this|these|mis?|est[aeo]s?|mon|ma|mes|cet|cette|ces?|mein|meine[nmrs]?|diese[nmrs]?|unser|unsere[nmrs]?) )${withDeterminers(objects)}`

/** Sources of the patterns of a subject's questions. */
function questionsOf(subject: HelpSubject): string[] {
  // These verbs include the opening of the question.
  const beginsWithVerbs = subject === 'formats'
  const actionsOf = (language: Language) => helpActions[language][subject].map((action) => action.split(' > '))
  const verbsFirst = (['en', 'es', 'fr'] as const).flatMap((language) =>
    actionsOf(language).map(([verbs, objects]) =>
      beginsWithVerbs
        ? `(?:${verbs}) ${withGeneralDeterminers(objects)}`
        : `${openings[language]} (?:${verbs}) ?${withDeterminers(objects)}`,
    ),
  )
  const german = actionsOf('de').flatMap(([verbs, objects, ownForms]) =>
    beginsWithVerbs
      ? [`(?:${verbs}) ${withGeneralDeterminers(objects)}`]
      : [
          `${openings.de} ${withDeterminers(objects)} (?:zu )?(?:${verbs})`,
          // "wie mach ich"
          `(?:wie|wo) (?:${ownForms?.replace(/e(?=\||$)/gu, 'e?')}) (?:ich|man|wir) ${withDeterminers(objects)}(?: (?:hinzu|an|ein|aus|hoch|um|zuruck|frei))?`,
        ],
  )
  const places = helpPlaces[subject]
  return [
    ...verbsFirst,
    ...german,
    ...(places === undefined ? [] : [`${whereIs} ${withDeterminers(places)}(?: finden)?`]),
  ]
}

/** One pattern for each subject, in all languages together: short sentences don't reveal their language. */
const patterns = (Object.keys(links) as HelpSubject[]).map((subject) => ({
  subject,
  pattern: new RegExp(`^${courtesies}(?:${questionsOf(subject).join('|')})${endings}$`, 'u'),
}))

const MAX_WORDS = 20

/** Subject of a question about using Mira, with the path of its page; null for any other message. */
export function readHelpQuestion(message: string): { subject: HelpSubject; link: string } | null {
  const words = plainWords(message)
  if (words.length > MAX_WORDS) return null
  const sentence = words.join(' ')
  const match = patterns.find(({ pattern }) => pattern.test(sentence))
  return match === undefined ? null : { subject: match.subject, link: links[match.subject] }
}
