import type { Recurrence } from '@mira/shared'
import type { AgentLanguage } from '../agent-kind.ts'

/** What a sentence wants of reminders. */
export type ReminderWish = 'create' | 'list' | 'snooze' | 'complete' | 'delete'

type ByLanguage<T> = Readonly<Record<AgentLanguage, T>>

/** How each wish begins; `create` is tried last. What stands after it is what it is about. */
export const wishPatterns: ByLanguage<[ReminderWish, RegExp][]> = {
  en: [
    [
      'list',
      /^(?:please )?(?:(?:list|show|display)(?: me)?|what(?: are)?|which|do i have)\b.*\breminders\b.*$|^(?:all )?(?:my )?reminders\??$/iu,
    ],
    ['delete', /^(?:please )?(?:delete|remove|cancel|forget|stop)\b(?= .*\breminder|.*\breminding\b| reminder)/iu],
    [
      'complete',
      /^(?:please )?(?:complete|finish|check off|tick off|mark)\b(?=.*\breminder|.*\b(?:as )?done\b)|^(?:i(?:'m| am) )?done with(?= the reminder)/iu,
    ],
    ['snooze', /^(?:please )?(?:snooze|postpone|delay)\b/iu],
    [
      'create',
      /^(?:please |can you |could you )?(?:remind me|(?:set|add|create|make)(?: me)? (?:a |another )?(?:(?:daily|weekly|monthly) )?reminder|don['’]t let me forget)\b/iu,
    ],
  ],
  es: [
    [
      'list',
      /^(?:por favor,? )?(?:lista|listar|muestra|muéstrame|enseña|enséñame|dime|qué|cuáles|tengo)(?!\p{L}).*recordatorios?.*$|^(?:todos )?(?:mis )?recordatorios\??$/iu,
    ],
    ['delete', /^(?:por favor,? )?(?:borra|borrar|elimina|eliminar|cancela|cancelar|quita|quitar)(?=.*recordatorio)/iu],
    ['complete', /^(?:por favor,? )?(?:completa|completar|termina|marca|marcar)(?=.*recordatorio|.*hech[oa])/iu],
    ['snooze', /^(?:por favor,? )?(?:pospón|pospon|posponer|aplaza|aplazar|retrasa|retrasar)(?!\p{L})/iu],
    [
      'create',
      /^(?:por favor,? )?(?:recuérdame|recuerdame|recordarme|(?:pon|ponme|crea|créame|añade)(?: un)? recordatorio)(?!\p{L})/iu,
    ],
  ],
  fr: [
    [
      'list',
      /^(?:liste|lister|montre|montre-moi|affiche|quels?|ai-je)(?!\p{L}).*rappels?.*$|^(?:tous )?(?:mes )?rappels ?\??$/iu,
    ],
    ['delete', /^(?:supprime|supprimer|efface|effacer|annule|annuler|retire)(?=.*rappel)/iu],
    [
      'complete',
      /^(?:termine|terminer|complète|coche|marque|marquer)(?=.*rappel|.*faite?(?!\p{L})|.*terminée?(?!\p{L}))/iu,
    ],
    ['snooze', /^(?:reporte|reporter|repousse|repousser|décale|décaler)(?!\p{L})/iu],
    [
      'create',
      /^(?:s['’]il (?:te|vous) plaît,? )?(?:rappelle[- ]moi|rappelez[- ]moi|me rappeler|(?:crée|ajoute|mets)(?:[- ]moi)?(?: un)? rappel)(?!\p{L})/iu,
    ],
  ],
  de: [
    [
      'list',
      /^(?:bitte )?(?:liste|zeige?|welche|was|habe ich)(?!\p{L}).*erinnerungen.*$|^(?:alle )?(?:meine )?erinnerungen\??$/iu,
    ],
    ['delete', /^(?:bitte )?(?:lösche?|entferne?|storniere|streiche?)(?!\p{L})(?=.*erinnerung)/iu],
    ['complete', /^(?:bitte )?(?:erledige|markiere|hake|schließe)(?!\p{L})(?=.*erinnerung|.*erledigt)|^erledigt:/iu],
    ['snooze', /^(?:bitte )?(?:verschiebe?|verschieben|schlummere?|vertage?)(?!\p{L})/iu],
    [
      'create',
      /^(?:bitte )?(?:erinnere?(?: mich)?|(?:erstelle?|setze?|lege?)(?: mir)?(?: eine)? erinnerung)(?!\p{L})/iu,
    ],
  ],
}

/** What stands around the words that name a reminder. */
export const fillerWords: ByLanguage<RegExp> = {
  en: /\b(?:the|my|a|an|all|please|reminders?|reminding|me|to|about|of|that|as|done|completed?|off|by|for|from|now|it|this|one|last)\b/giu,
  es: /(?<!\p{L})(?:el|la|los|las|un|una|mi|mis|todos|recordatorios?|de|del|que|para|como|hech[oa]|completad[oa]|por|sobre|lo|este|último)(?!\p{L})/giu,
  fr: /(?<!\p{L})(?:l['’]|le|la|les|un|une|mon|mes|ce|tous|rappels?|de|du|d['’]|que|pour|comme|faite?|terminée?|à|au|sur|dernier)(?!\p{L})/giu,
  de: /(?<!\p{L})(?:der|die|das|den|dem|eine?|meine?|alle|erinnerung(?:en)?|an|als|für|um|erledigt|ab|auf|mich|von|diese|letzte)(?!\p{L})/giu,
}

/** Words at the edges of what is to be said, left over around times. */
export const edgeWords: ByLanguage<{ start: RegExp; end: RegExp }> = {
  en: {
    start: /^(?:[\s,.:;–-]+|(?:to|that|about|of|for|and|i (?:have|need|must)(?: to)?|on|at|in|by)\s+)+/iu,
    end: /(?:[\s,.:;–-]+|\s+(?:on|at|in|by|to|and|please))+$/iu,
  },
  es: {
    start: /^(?:[\s,.:;–-]+|(?:que|de|para|sobre|y|tengo que|debo|a la|el|en)\s+)+/iu,
    end: /(?:[\s,.:;–-]+|\s+(?:a|el|en|de|y|por favor))+$/iu,
  },
  fr: {
    start: /^(?:[\s,.:;–-]+|d['’]|qu['’]|(?:que|de|pour|à|et|je dois|il faut)\s+)+/iu,
    end: /(?:[\s,.:;–-]+|\s+(?:à|le|et|s['’]il te plaît))+$/iu,
  },
  de: {
    start: /^(?:[\s,.:;–-]+|(?:daran|an|dass|dafür|für|zu|und|mich|um|am)(?:\s+|,))+/iu,
    end: /(?:[\s,.:;–-]+|\s+(?:um|am|an|und|bitte|daran|ein))+$/iu,
  },
}

/** What the agent says. */
export interface ReminderTexts {
  notUnderstood: string
  noText: string
  noTime: string
  noClock: string
  past: string
  tooFar: string
  tooLong(most: number): string
  tooMany(most: number): string
  skipped(day: string, wanted: string, later: string, zone: string): string
  created(text: string, when: string): string
  snoozed(text: string, when: string): string
  completed(text: string): string
  movedOn(text: string, when: string): string
  deleted(text: string): string
  none: string
  noneLike(words: string): string
  which: string
  list(count: number): string
  more(count: number): string
}

export const reminderTexts: ByLanguage<ReminderTexts> = {
  en: {
    notUnderstood: 'Say what to remind you of and when, such as “remind me to call Anna tomorrow at 5pm”.',
    noText: 'What shall I remind you of? For example: “remind me to call Anna tomorrow at 5pm”.',
    noTime: 'When shall I remind you? Say a time, such as “tomorrow at 9:00” or “in 20 minutes”.',
    noClock: 'At what time of that day? Say it together, such as “tomorrow at 9:00”.',
    past: 'This time has passed. Say a time that is still to come.',
    tooFar: 'This time is too far away.',
    tooLong: (most) => `A reminder can have at most ${most} characters.`,
    tooMany: (most) => `There can be at most ${most} active reminders. Complete or delete some first.`,
    skipped: (day, wanted, later, zone) =>
      `There is no ${wanted} on ${day} in ${zone}: clocks go forward over it. Choose another time, such as ${later}.`,
    created: (text, when) => `I will remind you: **${text}** – ${when}.`,
    snoozed: (text, when) => `I will remind you again: **${text}** – ${when}.`,
    completed: (text) => `Done: **${text}**.`,
    movedOn: (text, when) => `Done: **${text}**. The next time is ${when}.`,
    deleted: (text) => `Deleted: **${text}**.`,
    none: 'You have no active reminders.',
    noneLike: (words) => `You have no active reminder about “${words}”.`,
    which: 'Which one do you mean? Say some of its words.',
    list: (count) => (count === 1 ? 'You have one active reminder:' : `You have ${count} active reminders:`),
    more: (count) => `… and ${count} more.`,
  },
  es: {
    notUnderstood: 'Di qué debo recordarte y cuándo, por ejemplo «recuérdame llamar a Ana mañana a las 17:00».',
    noText: '¿Qué debo recordarte? Por ejemplo: «recuérdame llamar a Ana mañana a las 17:00».',
    noTime: '¿Cuándo debo recordártelo? Di una hora, por ejemplo «mañana a las 9:00» o «en 20 minutos».',
    noClock: '¿A qué hora de ese día? Dilo todo junto, por ejemplo «mañana a las 9:00».',
    past: 'Esa hora ya ha pasado. Di una que esté por venir.',
    tooFar: 'Esa fecha está demasiado lejos.',
    tooLong: (most) => `Un recordatorio puede tener como máximo ${most} caracteres.`,
    tooMany: (most) => `Puede haber como máximo ${most} recordatorios activos. Completa o elimina alguno antes.`,
    skipped: (day, wanted, later, zone) =>
      `El ${day} no existen las ${wanted} en ${zone}: los relojes se adelantan. Elige otra hora, por ejemplo las ${later}.`,
    created: (text, when) => `Te lo recordaré: **${text}** – ${when}.`,
    snoozed: (text, when) => `Te lo recordaré de nuevo: **${text}** – ${when}.`,
    completed: (text) => `Hecho: **${text}**.`,
    movedOn: (text, when) => `Hecho: **${text}**. La próxima vez es ${when}.`,
    deleted: (text) => `Eliminado: **${text}**.`,
    none: 'No tienes recordatorios activos.',
    noneLike: (words) => `No tienes ningún recordatorio activo sobre «${words}».`,
    which: '¿A cuál te refieres? Di algunas de sus palabras.',
    list: (count) => (count === 1 ? 'Tienes un recordatorio activo:' : `Tienes ${count} recordatorios activos:`),
    more: (count) => `… y ${count} más.`,
  },
  fr: {
    notUnderstood:
      'Dis ce que je dois te rappeler et quand, par exemple « rappelle-moi d’appeler Anne demain à 17 h ».',
    noText: 'Que dois-je te rappeler ? Par exemple : « rappelle-moi d’appeler Anne demain à 17 h ».',
    noTime: 'Quand dois-je te le rappeler ? Dis une heure, par exemple « demain à 9 h » ou « dans 20 minutes ».',
    noClock: 'À quelle heure ce jour-là ? Dis tout ensemble, par exemple « demain à 9 h ».',
    past: 'Cette heure est passée. Dis une heure à venir.',
    tooFar: 'Cette date est trop lointaine.',
    tooLong: (most) => `Un rappel peut contenir au plus ${most} caractères.`,
    tooMany: (most) => `Il peut y avoir au plus ${most} rappels actifs. Terminez ou supprimez-en d’abord.`,
    skipped: (day, wanted, later, zone) =>
      `Le ${day}, ${wanted} n’existe pas à ${zone} : les horloges avancent. Choisis une autre heure, par exemple ${later}.`,
    created: (text, when) => `Je te le rappellerai : **${text}** – ${when}.`,
    snoozed: (text, when) => `Je te le rappellerai encore : **${text}** – ${when}.`,
    completed: (text) => `Fait : **${text}**.`,
    movedOn: (text, when) => `Fait : **${text}**. La prochaine fois : ${when}.`,
    deleted: (text) => `Supprimé : **${text}**.`,
    none: 'Tu n’as aucun rappel actif.',
    noneLike: (words) => `Tu n’as aucun rappel actif sur « ${words} ».`,
    which: 'Lequel ? Dis quelques-uns de ses mots.',
    list: (count) => (count === 1 ? 'Tu as un rappel actif :' : `Tu as ${count} rappels actifs :`),
    more: (count) => `… et ${count} de plus.`,
  },
  de: {
    notUnderstood:
      'Sag, woran ich dich wann erinnern soll, etwa „erinnere mich morgen um 17 Uhr daran, Anna anzurufen“.',
    noText: 'Woran soll ich dich erinnern? Zum Beispiel: „erinnere mich morgen um 17 Uhr daran, Anna anzurufen“.',
    noTime: 'Wann soll ich dich erinnern? Nenne eine Zeit, etwa „morgen um 9:00“ oder „in 20 Minuten“.',
    noClock: 'Um wie viel Uhr an diesem Tag? Sag es zusammen, etwa „morgen um 9:00“.',
    past: 'Diese Zeit ist vorbei. Nenne eine, die noch kommt.',
    tooFar: 'Diese Zeit ist zu weit entfernt.',
    tooLong: (most) => `Eine Erinnerung kann höchstens ${most} Zeichen haben.`,
    tooMany: (most) => `Es kann höchstens ${most} aktive Erinnerungen geben. Erledige oder lösche zuerst einige.`,
    skipped: (day, wanted, later, zone) =>
      `${wanted} Uhr gibt es am ${day} in ${zone} nicht: Die Uhren werden vorgestellt. Wähle eine andere Zeit, etwa ${later} Uhr.`,
    created: (text, when) => `Ich erinnere dich: **${text}** – ${when}.`,
    snoozed: (text, when) => `Ich erinnere dich noch einmal: **${text}** – ${when}.`,
    completed: (text) => `Erledigt: **${text}**.`,
    movedOn: (text, when) => `Erledigt: **${text}**. Das nächste Mal: ${when}.`,
    deleted: (text) => `Gelöscht: **${text}**.`,
    none: 'Du hast keine aktiven Erinnerungen.',
    noneLike: (words) => `Du hast keine aktive Erinnerung zu „${words}“.`,
    which: 'Welche meinst du? Nenne einige ihrer Wörter.',
    list: (count) => (count === 1 ? 'Du hast eine aktive Erinnerung:' : `Du hast ${count} aktive Erinnerungen:`),
    more: (count) => `… und ${count} weitere.`,
  },
}

/** Each unit as "every day" and as "every 3 days". */
const everyWords: ByLanguage<Record<Recurrence['unit'], [one: string, several: (count: number) => string]>> = {
  en: {
    minute: ['every minute', (n) => `every ${n} minutes`],
    hour: ['every hour', (n) => `every ${n} hours`],
    day: ['every day', (n) => `every ${n} days`],
    week: ['every week', (n) => `every ${n} weeks`],
    month: ['every month', (n) => `every ${n} months`],
    year: ['every year', (n) => `every ${n} years`],
  },
  es: {
    minute: ['cada minuto', (n) => `cada ${n} minutos`],
    hour: ['cada hora', (n) => `cada ${n} horas`],
    day: ['cada día', (n) => `cada ${n} días`],
    week: ['cada semana', (n) => `cada ${n} semanas`],
    month: ['cada mes', (n) => `cada ${n} meses`],
    year: ['cada año', (n) => `cada ${n} años`],
  },
  fr: {
    minute: ['chaque minute', (n) => `toutes les ${n} minutes`],
    hour: ['chaque heure', (n) => `toutes les ${n} heures`],
    day: ['chaque jour', (n) => `tous les ${n} jours`],
    week: ['chaque semaine', (n) => `toutes les ${n} semaines`],
    month: ['chaque mois', (n) => `tous les ${n} mois`],
    year: ['chaque année', (n) => `tous les ${n} ans`],
  },
  de: {
    minute: ['jede Minute', (n) => `alle ${n} Minuten`],
    hour: ['jede Stunde', (n) => `alle ${n} Stunden`],
    day: ['jeden Tag', (n) => `alle ${n} Tage`],
    week: ['jede Woche', (n) => `alle ${n} Wochen`],
    month: ['jeden Monat', (n) => `alle ${n} Monate`],
    year: ['jedes Jahr', (n) => `alle ${n} Jahre`],
  },
}

/** A recurrence in words: "every 2 weeks (Mon, Thu), 09:00". */
export function describeRecurrence({ every, unit, weekdays, time }: Recurrence, language: AgentLanguage): string {
  const [one, several] = everyWords[language][unit]
  const names = new Intl.DateTimeFormat(language, { weekday: 'short', timeZone: 'UTC' })
  // 1 January 2024 was a Monday
  const days = weekdays?.map((day) => names.format(new Date(Date.UTC(2024, 0, day)))).join(', ')
  return `${every === 1 ? one : several(every)}${days ? ` (${days})` : ''}${time ? `, ${time}` : ''}`
}
