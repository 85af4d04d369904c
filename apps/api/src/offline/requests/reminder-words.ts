import type { Language } from '@mira/shared'

/** Reminder command of a sentence. An alarm or a timer is a reminder that needs no text. */
export type ReminderWish = 'create' | 'alarm' | 'timer' | 'list' | 'snooze' | 'complete' | 'delete'

type ByLanguage<T> = Readonly<Record<Language, T>>

/** Patterns of each command, before its subject or between the parts of it; those that create are tried last. */
export const wishPatterns: ByLanguage<[ReminderWish, RegExp][]> = {
  en: [
    [
      'list',
      /^(?:please )?(?:(?:can|could|would) you )?(?:(?:list|show|display|read|check|tell|go (?:through|over))(?: me)?|what(?:['’]s| are| is)?|which|do i have)\b.*\b(?:reminders|alarms|timers|reminder list)\b.*$|^(?!.*\b(?:add|put|remove|delete|set|create)\b).*\b(?:my|the) (?:reminders? list|list of reminders)\b.*$|^(?:how many|are there) .*\b(?:reminders|alarms|timers)\b.*$|^(?:all )?(?:my )?reminders\??$/iu,
    ],
    [
      'delete',
      /^(?:please )?(?:delete|remove|cancel|forget|stop)\b(?= .*\breminder|.*\breminding\b| reminder| (?:\S+ ){0,5}(?:alarm|timer)s?\b)/iu,
    ],
    [
      'complete',
      /^(?:please )?(?:complete|finish|check off|tick off|mark)\b(?=.*\breminder|.*\b(?:as )?done\b)|^(?:i(?:'m| am) )?done with(?= the reminder)/iu,
    ],
    ['snooze', /^(?:please )?(?:snooze|postpone|delay)\b/iu],
    [
      'create',
      /^(?:please |can you |could you |would you |will you |hey |make sure to |i need you to |i want you to |i(?:['’]d| would) like you to )*(?:remind me|(?:set|add|create|make|give|i need|i want|i(?:['’]d| would) like)(?: me)?(?: up)? (?:a |an |another |new )*(?<before>(?:hourly|daily|weekly|monthly|yearly) )?reminder|i (?:need|want|would like) to be reminded|(?:alert|ping|nudge|notify) me(?= (?:at|in|on|to|about|tomorrow|every|when)\b)|don['’]t let me forget)\b/iu,
    ],
    [
      'alarm',
      /^(?:please |can you |could you |would you |will you |hey |i need you to |i want you to |i(?:['’]d| would) like you to |i want to |i need to |i(?:['’]d| would) like to )*(?:wake me(?: up)?|(?:(?:set|create|make|add|schedule|put|turn on|i need|i want|i(?:['’]d| would) like)(?: me)?(?: up| in| on)? (?:an? |the |my |another |new )*(?<before>(?:(?!alarm|off |reminder)\S+ ){0,5}?))?alarm(?: clock)?(?=$|[.?!]| (?:at|for|in|on|to|set|every|tomorrow|today|tonight|please|\d)))(?: set)?\b/iu,
    ],
    [
      'timer',
      /^(?:please |can you |could you |would you |will you |hey |i need you to |i want to |i need to |i(?:['’]d| would) like to )*(?:(?:start )?count(?:ing)? down(?: from)?|(?:(?:set|create|make|add|start|begin|put|give|i need|i want|i(?:['’]d| would) like)(?: me)?(?: up| on)? (?:an? |the |my |another |new )*|(?=.*(?:\d|minute|hour|second))(?:an? )?)(?<before>(?:(?!timer|off |reminder)\S+ ){0,8}?)(?:timer|countdown)(?=$|[.?!]| (?:at|for|in|of|on|to|from|set|called|named|please|\d)))\b/iu,
    ],
  ],
  es: [
    [
      'list',
      /^(?:por favor,? )?(?:lista|listar|muestra|muéstrame|enseña|enséñame|dime|qué|cuáles|tengo)(?!\p{L}).*(?:recordatorios?|alarmas|temporizadores).*$|^(?:todos )?(?:mis )?recordatorios\??$/iu,
    ],
    [
      'delete',
      /^(?:por favor,? )?(?:borra|borrar|elimina|eliminar|cancela|cancelar|quita|quitar)(?=.*(?:recordatorio|alarma|temporizador))/iu,
    ],
    ['complete', /^(?:por favor,? )?(?:completa|completar|termina|marca|marcar)(?=.*recordatorio|.*hech[oa])/iu],
    ['snooze', /^(?:por favor,? )?(?:pospón|pospon|posponer|aplaza|aplazar|retrasa|retrasar)(?!\p{L})/iu],
    [
      'create',
      /^(?:por favor,? )?(?:(?:puedes|podrías|puede|podría) )?(?:recuérdame|recuerdame|recordarme|(?:pon|ponme|crea|créame|añade)(?: un)? recordatorio)(?!\p{L})/iu,
    ],
    [
      'alarm',
      /^(?:por favor,? )?(?:(?:puedes|podrías|quiero|necesito) )?(?:despi[eé]rtame|despertarme|(?:(?:pon(?:me|er)?|crear?|program[ae]r?|activar?|configurar?|añad[ei]r?) )?(?:una? |la |mi |el |otra |nueva )*(?:alarma|despertador)(?=$|[.?!]| (?:a|para|de|en|el|mañana|hoy|\d)))(?!\p{L})/iu,
    ],
    [
      'timer',
      /^(?:por favor,? )?(?:(?:puedes|podrías|quiero|necesito) )?(?:(?:pon(?:me|er)?|crear?|program[ae]r?|activar?|iniciar?|inicia|comenzar|comienza|empezar|empieza|añad[ei]r?) )?(?:una? |la |el |otr[oa] |nuev[oa] )*(?:temporizador|cuenta atr[aá]s)(?!\p{L})/iu,
    ],
  ],
  fr: [
    [
      'list',
      /^(?:liste|lister|montre|montre-moi|affiche|quels?|ai-je)(?!\p{L}).*(?:rappels?|alarmes|minuteurs).*$|^(?:tous )?(?:mes )?rappels ?\??$/iu,
    ],
    ['delete', /^(?:supprime|supprimer|efface|effacer|annule|annuler|retire)(?=.*(?:rappel|alarme|minuteur))/iu],
    [
      'complete',
      /^(?:termine|terminer|complète|coche|marque|marquer)(?=.*rappel|.*faite?(?!\p{L})|.*terminée?(?!\p{L}))/iu,
    ],
    ['snooze', /^(?:reporte|reporter|repousse|repousser|décale|décaler)(?!\p{L})/iu],
    [
      'create',
      /^(?:s['’]il (?:te|vous) plaît,? )?(?:(?:est-ce que )?(?:(?:peux|pourrais)[- ]tu|(?:pouvez|pourriez)[- ]vous|tu peux|vous pouvez) (?:s['’]il (?:te|vous) plaît,? )?(?=me rappeler))?(?:rappelle[- ]moi|rappelez[- ]moi|me rappeler|(?:crée|ajoute|mets)(?:[- ]moi)?(?: un)? rappel)(?!\p{L})/iu,
    ],
    [
      'alarm',
      /^(?:s['’]il (?:te|vous) plaît,? )?(?:(?:peux|pourrais)[- ]tu |(?:pouvez|pourriez)[- ]vous |je (?:veux|voudrais) )?(?:r[eé]veille[- ]moi|r[eé]veillez[- ]moi|me r[eé]veiller|(?:(?:mets?|mettre|r[eè]gle|r[eé]gler|programmer?|cr[eé][eé]r?|activer?|ajouter?)(?:[- ]moi)? )?(?:une? |le |mon |l['’]|nouvelle )*(?:alarme|r[eé]veil)(?=$|[ .?!]*$| (?:à|pour|dans|de|à|demain|ce|\d)))(?!\p{L})/iu,
    ],
    [
      'timer',
      /^(?:s['’]il (?:te|vous) plaît,? )?(?:(?:peux|pourrais)[- ]tu |(?:pouvez|pourriez)[- ]vous |je (?:veux|voudrais) )?(?:(?:mets?|mettre|lancer?|d[eé]marrer?|r[eè]gle|programmer?|cr[eé][eé]r?|activer?|ajouter?)(?:[- ]moi)? )?(?:une? |le |mon |nouveau )*(?:minuteur|minuterie|compte à rebours)(?!\p{L})/iu,
    ],
  ],
  de: [
    [
      'list',
      /^(?:bitte )?(?:liste|zeige?|welche|was|habe ich)(?!\p{L}).*(?:erinnerungen|wecker|alarme|timer).*$|^(?:alle )?(?:meine )?erinnerungen\??$/iu,
    ],
    [
      'delete',
      /^(?:bitte )?(?:lösche?|entferne?|storniere|streiche?)(?!\p{L})(?=.*(?:erinnerung|wecker|alarm|timer))/iu,
    ],
    ['complete', /^(?:bitte )?(?:erledige|markiere|hake|schließe)(?!\p{L})(?=.*erinnerung|.*erledigt)|^erledigt:/iu],
    ['snooze', /^(?:bitte )?(?:verschiebe?|verschieben|schlummere?|vertage?)(?!\p{L})/iu],
    [
      'create',
      // the verb may stand behind the time, or at the end
      /^(?:bitte )?(?:kannst|könntest|würdest) du mich (?:bitte )?(?<before>.*?)(?<!\p{L})(?:daran )?erinnern(?!\p{L})(?<after>.*)$/isu,
    ],
    [
      'create',
      /^(?:bitte )?(?:erinnere?(?: mich)?|erinnerst du mich|(?:erstelle?|setze?|lege?)(?: mir)?(?: eine)?(?: (?<before>(?:stünd|täg|wöchent|monat|jähr)lich)e)? erinnerung)(?!\p{L})/iu,
    ],
    [
      'alarm',
      /^(?:bitte |kannst du |könntest du |ich (?:brauche|möchte|will) )*(?:weck(?:e|st du)? mich(?: auf)?|mich (?:auf)?wecken|(?:(?:stell|setz|erstell|mach|plan|start)e?(?: mir)?(?: bitte)? )?(?:einen |den |meinen |neuen )*(?:(?<before>(?:stünd|täg|wöchent)lich)en )?(?:wecker|alarm)(?=$|[.?!]| (?:auf|für|um|in|ab|am|morgen|heute|\d)))(?!\p{L})/iu,
    ],
    [
      'timer',
      /^(?:bitte |kannst du |könntest du |ich (?:brauche|möchte|will) )*(?:(?:stell|setz|erstell|mach|start)e?(?: mir)?(?: bitte)? (?:einen |den |meinen |neuen )*|(?=.*(?:\d|minute|stunde|sekunde))(?:einen )?)(?<before>(?:(?!timer)\S+ ){0,8}?)(?:timer|countdown)(?=$|[.?!]| (?:auf|für|von|mit|um|in|namens|\d))(?!\p{L})/iu,
    ],
  ],
}

const lengthOfTimer =
  /(?<![\p{L}\d])(?:(?:for|of|to|from|in|für|auf|von|mit|de|para|en|dentro de|pour|dans)\s+|d['’])?(?=(?:\d+(?:[.,]\d+)?|half an?|an?|one|two|three|four|five|six|seven|eight|nine|ten|fifteen|twenty|thirty|forty|fifty|sixty|eine[rnm]?|zwei|drei|vier|fünf|zehn|media|una?|dos|tres|cinco|diez|une|deux|trois|cinq|dix)[\s-]*(?:h(?:ours?|rs?|oras?|eures?)?|min(?:ut\p{L}*|s)?|se[ckg]\p{L}*|stunden?|std)(?![\p{L}]))/iu
const inWord: ByLanguage<string> = { en: 'in', es: 'en', fr: 'dans', de: 'in' }
/** Seconds beside larger units, which alone count. */
const restOfLength = /(?:(?:and|und|y|et)\s+)?\d+ *se[ckg]\p{L}*/giu

const clockOfAlarm =
  /(?<!\p{L})(?:for|to) (?=(?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midnight)(?!\p{L}|\d| ?(?:min|h|sec|day|week|month)))/giu
/** A bare hour at which people get up. */
const wakingHour = /(?<=(?:^|\s)at )((?:[4-9]|1[01])(?::\d\d)?)(?=$|[.?!]| (?:tomorrow|every|on|please))/iu
const partOfDay = /\b(?:tonight|evening|afternoon|night|pm)\b/iu

/**
 * Text of a timer with its length as the time from now, "5 minute timer for tea" as "in 5 minute timer for tea", or of an
 * alarm with its hour as a clock time.
 */
export function alarmText(text: string, wish: 'alarm' | 'timer', language: Language): string {
  if (wish === 'timer') return text.replace(lengthOfTimer, `${inWord[language]} `)
  if (language === 'de') return text.replace(/(?<!\p{L})(?:auf|für) (?=\d{1,2}(?:[:.]\d\d)?(?: uhr|[ .!]*$))/giu, 'um ')
  if (language !== 'en') return text
  const clock = text.replace(clockOfAlarm, 'at ')
  return partOfDay.test(text) ? clock : clock.replace(wakingHour, '$1 am')
}

/** Name of an alarm or a timer: its text without times and parts of its length. */
export function alarmTitle(rest: string): string {
  return rest
    .replace(restOfLength, ' ')
    .replace(/(?<!\p{L})(?:named|called|namens|llamado|appelé)(?!\p{L})/giu, ' ')
    .replace(/^ *(?:set|brand new)\b|\b(?:to )?go off\b|(?<![^,\s])(?:please|ein)[.!]?\s*$/giu, ' ')
}

/** Words to drop around a reminder's name. */
export const fillerWords: ByLanguage<RegExp> = {
  en: /\b(?:the|my|a|an|all|please|reminders?|reminding|me|to|about|of|that|as|done|completed?|off|by|for|from|now|it|this|one|last|until|till)\b/giu,
  es: /(?<!\p{L})(?:el|la|los|las|un|una|mi|mis|todos|recordatorios?|de|del|que|para|como|hech[oa]|completad[oa]|por|sobre|lo|este|último|hasta)(?!\p{L})/giu,
  fr: /(?<!\p{L})(?:l['’]|le|la|les|un|une|mon|mes|ce|tous|rappels?|de|du|d['’]|que|pour|comme|faite?|terminée?|à|au|sur|dernier|jusqu['’]à|vers)(?!\p{L})/giu,
  de: /(?<!\p{L})(?:der|die|das|den|dem|eine?|meine?|alle|erinnerung(?:en)?|an|als|für|um|erledigt|ab|auf|mich|von|diese|letzte|bis)(?!\p{L})/giu,
}

/**
 * Words at the edges of a reminder's text, left over around times. The end must not begin after a separator and matches one
 * separator at a time: otherwise a run of commas could be matched in exponentially many ways.
 */
export const edgeWords: ByLanguage<{ start: RegExp; end: RegExp }> = {
  en: {
    start: /^(?:[\s,.:;–-]+|(?:to|that|about|of|for|and|i (?:have|need|must)(?: to)?|on|at|in|by)\s+)+/iu,
    end: /(?<![\s,.:;–-])(?:[\s,.:;–-]|(?<=\s)(?:on|at|in|by|to|and|please))+$/iu,
  },
  es: {
    start: /^(?:[\s,.:;–-]+|(?:que|de|para|sobre|y|tengo que|debo|a la|el|en)\s+)+/iu,
    end: /(?<![\s,.:;–-])(?:[\s,.:;–-]|(?<=\s)(?:a|el|en|de|y|por favor))+$/iu,
  },
  fr: {
    start: /^(?:[\s,.:;–-]+|d['’]|qu['’]|(?:que|de|pour|à|et|je dois|il faut)\s+)+/iu,
    end: /(?<![\s,.:;–-])(?:[\s,.:;–-]|(?<=\s)(?:à|le|et|s['’]il te plaît))+$/iu,
  },
  de: {
    start: /^(?:[\s,.:;–-]+|(?:daran|an|dass|dafür|für|zu|und|mich|am)(?:\s+|,))+/iu,
    end: /(?<![\s,.:;–-])(?:[\s,.:;–-]|(?<=\s)(?:um|am|an|und|bitte|daran|ein))+$/iu,
  },
}
