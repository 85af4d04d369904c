import type { Language } from '@mira/shared'

/** Reminder command of a sentence. */
export type ReminderWish = 'create' | 'list' | 'snooze' | 'complete' | 'delete'

type ByLanguage<T> = Readonly<Record<Language, T>>

/** Patterns of each command, before its subject or between the parts of it; `create` is tried last. */
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
      /^(?:please )?(?:(?:can|could|would|will) you )?(?:please )?(?:remind me|(?:set|add|create|make)(?: me)? (?:a |an |another )?(?<before>(?:hourly|daily|weekly|monthly|yearly) )?reminder|don['’]t let me forget)\b/iu,
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
      /^(?:por favor,? )?(?:(?:puedes|podrías|puede|podría) )?(?:recuérdame|recuerdame|recordarme|(?:pon|ponme|crea|créame|añade)(?: un)? recordatorio)(?!\p{L})/iu,
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
      /^(?:s['’]il (?:te|vous) plaît,? )?(?:(?:est-ce que )?(?:(?:peux|pourrais)[- ]tu|(?:pouvez|pourriez)[- ]vous|tu peux|vous pouvez) (?:s['’]il (?:te|vous) plaît,? )?(?=me rappeler))?(?:rappelle[- ]moi|rappelez[- ]moi|me rappeler|(?:crée|ajoute|mets)(?:[- ]moi)?(?: un)? rappel)(?!\p{L})/iu,
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
      // the verb may stand behind the time, or at the end
      /^(?:bitte )?(?:kannst|könntest|würdest) du mich (?:bitte )?(?<before>.*?)(?<!\p{L})(?:daran )?erinnern(?!\p{L})(?<after>.*)$/isu,
    ],
    [
      'create',
      /^(?:bitte )?(?:erinnere?(?: mich)?|erinnerst du mich|(?:erstelle?|setze?|lege?)(?: mir)?(?: eine)?(?: (?<before>(?:stünd|täg|wöchent|monat|jähr)lich)e)? erinnerung)(?!\p{L})/iu,
    ],
  ],
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
