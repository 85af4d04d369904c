import type { Language } from '@mira/shared'
import type { TimeReading } from './reminder-times.ts'
import { withPlainDurations } from './spoken-durations.ts'
import { withDigits } from './spoken-numbers.ts'

/** Reminder command of a sentence. An alarm or a timer is a reminder that needs no text. */
export type ReminderCommand = 'create' | 'alarm' | 'timer' | 'list' | 'snooze' | 'complete' | 'delete'

type ByLanguage<T> = Readonly<Record<Language, T>>

/** Request before an infinitive. */
const frenchRequest = `(?:est-ce que )?(?:(?:peux|pourrais)[- ]tu|(?:pouvez|pourriez)[- ]vous|tu (?:peux|pourrais)|vous (?:pouvez|pourriez)) (?:(?:s['’]il (?:te|vous) pla[iî]t|stp|svp),? )?`
/** Pattern of a French command after courtesies. */
const french = (source: string) =>
  new RegExp(String.raw`^(?:(?:s['\u2019]il (?:te|vous) pla[iî]t|stp|svp|salut|bonjour),? )*${source}(?!\p{L})`, 'iu')

/** Duration right after the name of a timer: "chrono 10 min", but not "chrono marathon en 3 heures". */
const frenchDuration = String.raw`(?:(?:de|pour|à|sur) |d['\u2019])?(?:\d+(?:[.,]\d+)? ?|(?:une?|demi|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze|quinze|vingt|trente|quarante|cinquante|soixante)[ -](?:\p{L}+[ -]){0,2}(?:d['\u2019])?)(?:min|sec|h(?!\p{L})|heure)`

/** Patterns of each command. Some also match text around the command (`before`, `after`). Those that create something are tried last. */
export const commandPatterns: ByLanguage<[ReminderCommand, RegExp][]> = {
  en: [
    [
      'list',
      /^(?:please )?(?:(?:can|could|would) you )?(?:(?:list|show|display|read|check|tell|see|view|go (?:through|over))(?: me)?(?: about)?|what(?:['’]s| are| is)?|which|how many|are there|do i have)(?: (?:my|the|all|any|of|active|current|set|open|upcoming|list))* (?:reminders|reminders? list|alarms|timers)(?: (?:are|is|do|have|i|i've|there|set|active|on|running|now|right|today|tomorrow|please|for me))*[?.! ]*$|^(?!.*\b(?:add|put|remove|delete|set|create)\b)(?:\S+ ){0,6}(?:my|the) (?:reminders? list|list of reminders)[?.! ]*$|^(?:all )?(?:my )?reminders\??$/iu,
    ],
    [
      'delete',
      // Only when the reminder itself is the object: "delete the photo of the alarm clock" is about a photo.
      /^(?:please )?(?:(?:can|could|would) you )?(?:(?:delete|remove|cancel|forget|stop)\b(?=(?: about)?(?: (?:the|my|our|this|that|these|those|an?|any|every|each|all|of|both|last|next|first|second|other|current|active|set|hourly|daily|weekly|monthly|morning|evening|today['’]s|tomorrow['’]s|o['’]clock|[ap]\.?m\.?|\d[\d:.]*(?:[ap]m)?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|minutes?|hours?|seconds?))* (?:reminders?|alarms?(?: clocks?)?|timers?)(?:[.,!?: ]*$|: ?| (?:for|at|about|to|today|tomorrow|tonight|please|called|named|i set|(?<=reminders? )(?:regarding|on|of|with))\b)|(?: (?:all )?(?:my|the))? (?!all|my|the)(?:(?!(?:of|with|from|in|on|at|to|for|and|about|the|an?|my)\b)[\p{L}\p{N}'’-]+ ){1,3}reminders?(?:[.! ]*$|:| (?:please|for|called|named|i set)\b)| (?:(?!(?:of|with|in|on|at|and|about|photo|picture|video)s?\b)[\p{L}\p{N}'’-]+ ){1,4}from (?:my|the) reminders?(?: list)?[.! ]*$)|(?:stop|forget) (?=reminding\b))/iu,
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
      /^(?:please |can you |could you |would you |will you |hey |i need you to |i want you to |i(?:['’]d| would) like you to |i want to |i need to |i(?:['’]d| would) like to )*(?:wake me(?: up)?|(?:(?<verb>set|create|make|add|schedule|put|turn on|i need|i want|i(?:['’]d| would) like)(?: me)?(?: up| in| on)? (?:an? |the |my |another |new )*(?<before>(?:(?!alarm|off |of |with |from |about |to |the |my |and |is |when |before |after |photo|picture|video|reminder)\S+ ){0,5}?)|an? )?alarm(?: clock)?(?=$|[.?!]| (?:at|for|in|on|to|set|every|tomorrow|today|tonight|please|\d)))(?: set)?\b/iu,
    ],
    [
      'timer',
      /^(?:please |can you |could you |would you |will you |hey |i need you to |i want you to |i(?:['’]d| would) like you to |i want to |i need to |i(?:['’]d| would) like to )*(?:(?:start )?count(?:ing)? down(?: from)?|(?:(?<verb>set|create|make|add|start|begin|use|put|give|i need|i want|i(?:['’]d| would) like)(?: me)?(?: up| on)? (?:an? |the |my |another |new )*|(?!.* (?:in|from|with|on) (?:the|my|our|this)\b)(?=(?:(?:[\d.]{1,9}(?:min|h|s|sec)?|an?|half|and|quarter|of|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|(?:minute|min|hour|second|sec)s?)[ -])*(?:timer|countdown)(?:[.?! ]*$| (?:for|called|named|please|\d)))(?:an? )?)(?<before>(?:(?!timer|off |of the|of my|with |from |about |to |the |my |more |when |photo|picture|video|reminder)\S+ ){0,8}?)(?:timer|countdown)(?=$|[.?!]| (?:at|for|in|of|on(?! pause| hold)|to|from|set|called|named|please|\d)))\b/iu,
    ],
  ],
  es: [
    [
      'list',
      /^(?:por favor,? )?(?:lista|listar|muestra|muéstrame|enseña|enséñame|dime|qué|cuáles|cuántos|cuántas|tengo|hay)(?: (?:son|mis|los|las|todos|todas|la|lista|de|algún|alguna|activ[oa]s))* (?:recordatorios?|alarmas|temporizadores)(?: (?:tengo|hay|activ[oa]s|puest[oa]s|programad[oa]s|pendientes|para|hoy|mañana))*[?.! ]*$|^(?:todos )?(?:mis )?recordatorios\??$/iu,
    ],
    [
      'delete',
      /^(?:por favor,? )?(?:borra|borrar|elimina|eliminar|cancela|cancelar|quita|quitar)(?=(?: (?:el|la|los|las|mi|mis|un|una|este|esta|ese|esa|todos|todas|último|última|próximo|próxima|de|\d[\d:.]*|minutos?|horas?))* (?:recordatorios?(?![\p{L}])|(?:alarmas?|despertador(?:es)?|temporizador(?:es)?)(?:[.,!: ]*$| (?:para|a las?|de (?:las? )?(?:\d|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce)|de la una|de (?:mañana|hoy)(?!\p{L})|del (?:lunes|martes|mi[eé]rcoles|jueves|viernes|s[aá]bado|domingo)|por favor))))/iu,
    ],
    [
      'complete',
      /^(?:por favor,? )?(?:completa|completar|termina|marca|marcar)(?=.*recordatorio|.* como hech[oa]| hecho(?!\p{L})|.* hech[oa][.! ]*$)/iu,
    ],
    ['snooze', /^(?:por favor,? )?(?:pospón|pospon|posponer|aplaza|aplazar|retrasa|retrasar)(?!\p{L})/iu],
    [
      'create',
      /^(?:(?:por favor|porfa|hola|oye),? )*(?:me (?:puedes|podrías) recordar|(?:(?:puedes|podrías|puede|podría|no (?:te )?olvides(?: de)?) )?(?:recu[eé]rdame|record[aá]me|recordarme)|(?:quiero|quisiera|necesito) que me recuerdes|hazme acordar(?: de)?|(?:pon|ponme|crea|cr[eé]ame|añade|agrega)(?: un)? recordatorio|(?<bare>me recuerdas(?!(?: (?!que |\p{L}+[aei]r(?:l[aeo]s?|me|nos|se)? )\p{L}+){0,3} a (?!las? (?:\d|una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce)|mediodía|medianoche|primera|última))|av[ií]same|recordatorio(?= ?:| (?:mañana|hoy|a las? (?:\d|una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce)|en \d|el (?:\d|lunes|martes|mi[eé]rcoles|jueves|viernes|s[aá]bado|domingo)) ?)))(?!\p{L})/iu,
    ],
    [
      'alarm',
      /^(?:(?:por favor|porfa|hola|oye),? )*(?:(?:me )?(?:puedes|podrías|quiero|necesito) )?(?:despi[eé]rtame|(?<=(?:puedes|podrías) )despertarme|(?<=me (?:puedes|podrías) )despertar|(?:(?<verb>pon(?:me|er)?|crear?|program[ae]r?|activar?|configurar?|añad[ei]r?) (?:una? |la |mi |el |otra |nueva )*|una? )?(?:alarma|despertador)(?=$|[.?!]| (?:a|para|de|en|el|los|tod[oa]s|cada|mañana|hoy|\d)))(?!\p{L})/iu,
    ],
    [
      'timer',
      /^(?:(?:por favor|porfa|hola|oye),? )*(?:(?:puedes|podrías|quiero|necesito) )?(?:(?<verb>pon(?:me|er)?|crear?|program[ae]r?|activar?|iniciar?|inicia|comenzar|comienza|empezar|empieza|añad[ei]r?) (?:una? |la |el |otr[oa] |nuev[oa] )*|una? )?(?:temporizador|timer|cuenta atr[aá]s)(?!\p{L})/iu,
    ],
  ],
  fr: [
    [
      'list',
      /^(?:liste|lister|montre|montre-moi|affiche|quels?|quelles|combien|ai-je)(?: (?:sont|mes|les|des|de|la|liste|tous|toutes))* (?:d['’])?(?:rappels?|alarmes|minuteurs)(?: (?:ai-je|actifs|actives|prévus|prévues|aujourd['’]hui|demain))*[ ?.!]*$|^(?:tous )?(?:mes )?rappels ?\??$/iu,
    ],
    [
      'delete',
      /^(?:supprime|supprimer|efface|effacer|annule|annuler|retire)(?=(?: (?:le|la|les|mon|ma|mes|un|une|ce|cet|cette|ces|tous|toutes|dernier|dernière|prochain|prochaine))* (?:l['’])?(?:rappels?(?![\p{L}])|(?:alarmes?|minuteurs?|réveils?)(?:[.,!: ]*$| (?:pour|à|de (?:\d|(?:une heure|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|midi|minuit|demain|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)(?!\p{L}))|d['’]aujourd['’]hui|s['’]il))))/iu,
    ],
    [
      'complete',
      /^(?:termine|terminer|complète|coche|marque|marquer)(?=.*rappel|.* comme (?:faite?|terminée?)(?!\p{L})| (?:fait|terminé)(?!\p{L}| main| maison)|.* (?:faite?|terminée?)[.! ]*$)/iu,
    ],
    ['snooze', /^(?:reporte|reporter|repousse|repousser|décale|décaler)(?!\p{L})/iu],
    [
      'create',
      french(
        String.raw`(?:r(?:ap|app)el(?:le|lez|ez|e)?[- ]moi|(?:${frenchRequest}|n['\u2019]oubliez? pas de |pensez? à )me rappeler|(?:je (?:veux|voudrais)|j['\u2019]aimerais|il faut) que (?:tu me rappelles|vous me rappeliez)|fai(?:s|tes)[- ]moi penser(?= (?:[àa]|aux?) | d['\u2019])|(?:cr[ée]+e|ajoute|mets?)(?:[- ]moi)?(?: un)? rappel|(?<bare>tu me rappell(?:es|eras)(?= (?:de (?!ne (?:plus|jamais) )|d['\u2019]))|rappel(?= ?:| (?:demain|aujourd['\u2019]hui|ce soir|[àa] \d|dans \d|le \d|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche))))`,
      ),
    ],
    [
      'alarm',
      french(
        String.raw`(?:r[eé]veillez?[- ]moi|${frenchRequest}me r[eé]veiller|(?:${frenchRequest}|je (?:veux|voudrais) )?(?<verb>mets?|mettre|r[eè]gle|r[eé]gler|programmer?|cr[eé][eé]r?|activer?|ajouter?)(?:[- ]moi)? (?:une? |le |mon |l['\u2019]|nouvelle )*(?:alarme|r[eé]veil)(?=[ .?!]*$| (?:à|a \d|pour|dans|de|demain|ce|tous|chaque|\d))|(?:je (?:veux|voudrais) )?(?:une? )?(?:alarme|r[eé]veil)(?=[ .?!]*$| (?:à|a \d|pour|dans|demain|ce|tous|chaque|\d)))`,
      ),
    ],
    [
      'timer',
      french(
        String.raw`(?:${frenchRequest}|je (?:veux|voudrais) )?(?:(?<verb>mets?|mettre|lancer?|d[eé]marrer?|r[eè]gle|programmer?|cr[eé][eé]r?|activer?|ajouter?)(?:[- ]moi)? (?:une? |le |mon |nouveau )*|une? )?(?:minuteur|minuterie|timer|(?<=\p{L} (?:une?|le|mon|nouveau) )chrono|chrono(?= ${frenchDuration})|compte [àa] rebours)`,
      ),
    ],
  ],
  de: [
    [
      'list',
      /^(?:bitte )?(?:liste|zeige?|welche|was|wie viele|habe ich)(?: (?:mir|bitte|sind|alle|die|meine|aktiven|gestellten))* (?:erinnerungen|wecker|alarme|timer)(?: (?:habe|ich|sind|gibt|es|aktiv|gestellt|offen|auf|an|heute|morgen))*[?.! ]*$|^(?:alle )?(?:meine )?erinnerungen\??$/iu,
    ],
    [
      'delete',
      /^(?:bitte )?(?:lösche?|entferne?|storniere|streiche?)(?=(?: (?:bitte|die|den|das|der|meine|meinen|diese|diesen|alle|letzten?|nächsten?|täglichen?|\d[\d:.]*|uhr|minuten))* (?:erinnerung(?:en)?(?!\p{L})|(?:wecker|alarme?|timer)(?:[.,!: ]*$| (?:für|um|auf (?:\d|halb)|von \d|bitte|an (?:den|die|das)))))/iu,
    ],
    ['complete', /^(?:bitte )?(?:erledige|markiere|hake|schließe)(?!\p{L})(?=.*erinnerung|.*erledigt)|^erledigt:/iu],
    ['snooze', /^(?:bitte )?(?:verschiebe?|verschieben|schlummere?|vertage?)(?!\p{L})/iu],
    [
      'create',
      // The verb may follow the time or come last.
      /^(?:bitte )?(?:(?:kannst|könntest|würdest) du|du (?:musst|sollst)|vergiss (?:bitte )?nicht,?|ich (?:möchte|will),? dass du) mich (?:bitte )?(?<before>.*?)(?<!\p{L})(?:da?ran )?(?:zu )?erinner(?:n|st)(?!\p{L})(?<after>.*)$/isu,
    ],
    [
      'create',
      /^(?:bitte )?(?:erinnere?(?: ?mich)?|(?<bare>erinnerst du mich|erinnerung(?= ?:| (?:heute|morgen|übermorgen|um|in \d|am|jeden|\d)))|(?:erstelle?|setze?|stelle?|mache?|lege?)(?: (?:mir|mal|bitte))*(?: (?:'?ne|eine))?(?: (?<before>(?:stünd|täg|wöchent|monat|jähr)lich)e)? erinnerung(?: auf)?)(?!\p{L})/iu,
    ],
    ['create', /^(?:bitte )?(?<bare>sag) mir (?:bitte )?(?<before>.*?)(?<!\p{L})bescheid(?!\p{L})(?<after>.*)$/isu],
    [
      'alarm',
      /^(?:bitte )?(?:kannst|könntest|würdest) du mich (?:bitte )?(?<before>.*?)(?<!\p{L})(?:auf)?wecken(?!\p{L})(?<after>.*)$/isu,
    ],
    [
      'alarm',
      /^(?:bitte |kannst du |könntest du |ich (?:brauche|möchte|will) )*(?:weck(?:e|st du)? mich(?: auf)?|(?<=(?:bitte|du|ich (?:möchte|will)) )mich (?:auf)?wecken|(?:(?<verb>stell|setz|erstell|mach|plan|start)e?(?: (?:mir|mal|bitte))* (?:'?nen |einen |den |meinen |neuen )*|einen )?(?:(?<before>(?:stünd|täg|wöchent)lich)en )?(?:wecker|alarm)(?=$|[.?!]| (?:auf|für|um|in|ab|am|jeden|täglich|morgen|heute|\d)))(?!\p{L})/iu,
    ],
    [
      'timer',
      /^(?:bitte |kannst du |könntest du |ich (?:brauche|möchte|will) )*(?:(?<verb>stell|setz|erstell|mach|start)e?(?: (?:mir|mal|bitte))* (?:'?nen |einen |den |meinen |neuen )*|(?!.* (?:im|in|vom|aus) )(?=(?:einen )?(?:[\p{L}\d]+ (?:minuten|stunden|sekunden) |(?!de[rmn] |das |mein)\p{L}+ )?timer(?:[.! ]*$| \d+ ?(?:min|sek|std|stunde)| (?:für|auf|von|mit) (?:'?ne |eine|\d|\p{L}+ (?:minuten|stunden|sekunden))))(?:einen )?)(?<before>(?:(?!timer|mit |von |vom |aus |foto|bild|video)\S+ ){0,8}?)(?:timer|countdown)(?=$|[.?!]| (?:auf|für|von|mit|um|in|namens|\d))(?!\p{L})/iu,
    ],
  ],
}

const MINUTE_MS = 60_000
const half = /(?<!\p{L})(?:half|halbe?n?|media|medio|demie?)(?!\p{L})/iu
const timerDuration =
  /(?<![\p{L}\d])(?<!\d[\s-])(?:(?:for|of|to|from|in|für|auf|von|mit|de|para|en|dentro de|pour|dans|[àa](?=\s+\d+ ?(?:min|sec)))\s+|d['’])?(?=(?:\d+(?:[.,]\d+)?|an?|eine[rnm]?|una?|une)[\s-]*(?:h(?:ours?|rs?|oras?|eures?)?|min(?:ut\p{L}*|s)?|se[ckg]\p{L}*|stunden?|std)(?![\p{L}]))/iu
/** Beginning of an alarm's duration; most alarms have a clock time instead. */
const alarmDuration =
  /(?<!\p{L})(?:(?:for|für|auf|dentro de|de|para)\s+(?=\d+(?:[.,]\d+)?[\s-]*(?:hours?|hrs?|horas|min(?:ut\p{L}*|s)?|stunden?)(?!\p{L}|.*\bbefore\b))|pour\s+(?=\d+(?:[.,]\d+)?[\s-]*min(?:ut\p{L}*|s)?(?!\p{L})))/iu
const inWord: ByLanguage<string> = { en: 'in', es: 'en', fr: 'dans', de: 'in' }
/** Seconds beside larger units; only the larger units count. */
const restOfDuration = /(?:(?:and|und|y|et)\s+)?\d+ *se[ckg]\p{L}*/giu
const durationStart = /(?<!\p{L})(?:in|en|dans)(?= )/iu
const durationPart =
  /(?:,? (?:(?:and|und|y|et) )?| ?)(\d+(?:[.,]\d+)?|(?:an?|eine[rnm]?|una?|une)(?= ))[\s-]*(?:(?:h(?:ours?|rs?|oras?|eures?)?|stunden?|std)(?: ?(\d{1,2})(?!\d| ?\p{L}))?|(min(?:ut\p{L}*|s)?)|(se[ckg]\p{L}*|s))(?!\p{L})/iuy
/** Two durations of which only the second is read: "10 to in 15 minutes". */
const rangeOfDurations = /\d(?: (?:to|or|a|o|à|ou|bis|oder) | ?[-–] ?)(?:in|en|dans) \d/iu
/** Sign of a time or duration that was only read in part, or of a second one. */
const remainderOfTime =
  /\d+(?:[.,]\d+)? ?(?:[ap]\.?m|h|hours?|heures?|horas?|stunden?|std|uhr|min|minut\p{L}*|mins|se[ck]\p{L}*|segundos?|days?)(?!\p{L})|\d:\d|\d\/|[½¼¾€$£]|(?<!\p{L})(?:dollars?|bucks|pounds|dólares|euros?|cuarto|quart|viertel|quarter|ciento|oh|not|nicht|kein\p{L}*|pas|no|except|but|unless|instead|statt|anstatt|excepto|salvo|menos|pero|en vez|sauf|mais|außer|aber|es sei denn|au lieu|plutôt)(?!\p{L})|(?<!\p{L})(?:and|or|to|y|o|et|ou|à|und|oder|bis) \d|\d (?:and|or|to|y|o|et|ou|à|und|oder|bis)(?!\p{L})|(?<!\p{L})(?:ab|aus|vor|zurück)[.! ]*$/iu
/** Sign of a change of a running timer, at either end of the text without its time: "longer", "verkürze", "en pause". */
const runningTimerChange =
  /^(?:um )?(?:verlänger|verkürz|pausier|stopp|unterbrech|beende|halte)\p{L}*(?!\p{L})|(?<!\p{L})(?:longer|shorter|more|less|länger|kürzer|mehr|weniger|fortsetzen|weiter(?:laufen)?|verlängern|verkürzen|pausieren|stoppen|anhalten|beenden|abbrechen|löschen|más|de plus|de moins|(?:en|sur) paus[ae]|fort)[.! ]*$/iu
const statedClock = /(?<![\d:])\d{1,2}(?::\d\d)? ?[ap]\.?m\b|\d uhr/iu
/** A number that isn't part of a name. */
const leftoverNumber = /^\d|(?<![\p{L}\d]) ?\d+(?:[.,]\d+)? *(?:[.,:!?-]|$)/iu

const clockOfAlarm = /(?<!\p{L})(?:for|to) (?=(?:\d{1,2}|noon|midnight)(?!\p{L}|\d| ?(?:min|h|sec|day|week|month)))/giu
/** A bare hour at which people get up. */
const wakingHour =
  /(?<=(?:^|\s)at )((?:[4-9]|1[01])(?::\d\d)?)(?: o['’]clock| sharp)?(?![\p{L}\d:]| ?(?:[ap]\.?m|min|h|-|oh |o['’]clock|sharp))/iu
/** An hour and minutes as spoken: "um 7 30", "a las 7 30". */
const hourAndMinutes =
  /(?<=(?<!\p{L})(?:um|auf|las?) )(\d{1,2}) ([0-5]\d)(?![\p{L}\d:]|[.,]\d| ?(?:uhr|min|h(?!\p{L})|horas?|stunden?|std|se[ckg]))/giu
const partOfDay = /\b(?:today|tonight|evening|afternoon|night|pm)\b/iu

/** Rewrites spoken clock times whose numbers are already digits: "half past 7", "quarter to 7", "7 30". */
function withClocks(text: string): string {
  const clock = (hour: number, minute: number) => `${hour === 0 ? 12 : hour}:${String(minute).padStart(2, '0')}`
  return text
    .replace(/(?<=\b(?:at|for|to) )(\d{1,2}) oh (\d)\b/giu, '$1:0$2')
    .replace(/\bhalf past (\d{1,2})\b/giu, (_all, hour: string) => clock(Number(hour), 30))
    .replace(
      /\b(?:a )?(quarter|5|10|20|25|\d{1,2} minutes|\d{1,2}(?= (?:past|after)))(?: minutes)? (to|past|after) (\d{1,2})\b(?!:)/giu,
      (_all, part, side, hour) => {
        const minutes = part === 'quarter' ? 15 : Number.parseInt(part, 10)
        return side === 'to' ? clock(Number(hour) - 1, 60 - minutes) : clock(Number(hour), minutes)
      },
    )
    .replace(
      /(?<=\b(?:at|for|to) )(\d{1,2})[ .-]([0-5]\d)(?!(?! ?[ap]\.?m\b)\p{L}|[\d:-]|[.,]\d| ?(?:min|h(?:ours?|rs?)?\b|se[ck]|days?|weeks?))/giu,
      '$1:$2',
    )
}

/**
 * Rewrites the text of a timer so that its duration is a time from now ("5 minute timer for tea" becomes "in 5 minute timer for
 * tea"), or the text of an alarm so that its hour is a clock time.
 */
export function alarmText(sentence: string, wish: 'alarm' | 'timer', language: Language): string {
  let text = withDigits(sentence, language).replace(/(?<=\d)-(?=\p{L})/gu, ' ')
  // "pour 7 heures et demie" is a time of day
  if (language === 'fr' && wish === 'alarm') text = text.replace(/(?<!\p{L})pour (?=\d{1,2} ?h)/giu, 'à ')
  text = withPlainDurations(text, language, wish === 'alarm')
  if (language === 'de') text = text.replace(/(?<!\p{L})eine?r? (?=stunde und \d)/giu, '1 ')
  text = text.replace(/(?<=\dh) ?(\d{1,2}) ?m(?:in)?(?!\p{L})/giu, '$1')
  // A text that still has a half stays unchanged, since the duration would lose the half.
  if (wish === 'timer') return half.test(text) ? text : text.replace(timerDuration, `${inWord[language]} `)
  text = text.replace(alarmDuration, `${inWord[language]} `).replace(hourAndMinutes, '$1:$2')
  if (language === 'de')
    return text
      .replace(/(?<!\d)([01]?\d|2[0-3])([0-5]\d)(?= uhr)/giu, '$1:$2')
      .replace(
        /(?<!\p{L})(?:auf|für) (?=(?:(?:drei)?viertel (?:vor |nach )?|halb )?\d{1,2}(?:[:.]\d\d)?(?: uhr|[ .!]*$))/giu,
        'um ',
      )
  if (language !== 'en') return text
  const clock = withClocks(text).replace(clockOfAlarm, 'at ')
  return partOfDay.test(text) ? clock : clock.replace(wakingHour, '$1 am')
}

const oneUnit = /(?<!\p{L})(?:an?|eine[rn]?|una?|une)(?= (?:hour|minute|stunde|hora|minuto|heure)(?!\p{L}))/giu

/** Text with the duration of a snooze in digits: "for half an hour", "um zehn Minuten". */
export function withDuration(text: string, language: Language): string {
  return withPlainDurations(withDigits(text, language), language).replace(oneUnit, '1')
}

/** Duration at the beginning of a timer's text, rewritten by `alarmText`; null for none. */
function durationMsOf(text: string): number | null {
  const start = durationStart.exec(text)
  if (start === null) return null
  let seconds = 0
  durationPart.lastIndex = start.index + start[0].length
  for (let part = durationPart.exec(text); part !== null; part = durationPart.exec(text)) {
    const [, count = '', minutesOfHour, minutes, inSeconds] = part
    const unit = inSeconds !== undefined ? 1 : minutes !== undefined ? 60 : 3600
    seconds += (/^\d/.test(count) ? Number(count.replace(',', '.')) : 1) * unit + Number(minutesOfHour ?? 0) * 60
  }
  return seconds === 0 ? null : seconds * 1000
}

/** True when the time read from the text of an alarm or a timer, rewritten by `alarmText`, may not be the one that was meant. */
export function isUnsureTime(text: string, { time, rest }: TimeReading, wish: 'alarm' | 'timer', now: Date): boolean {
  const leftover = rest.replace(restOfDuration, ' ').trim()
  if (remainderOfTime.test(leftover) || runningTimerChange.test(leftover)) return true
  // "at 7 30 for school"
  if (wish === 'alarm') return /^\d{1,2}(?![\p{L}\d])/u.test(leftover)
  if (time.kind === 'at' && statedClock.test(text)) return leftoverNumber.test(leftover)
  const durationMs = durationMsOf(text)
  const isOtherTime =
    durationMs === null || time.kind !== 'at' || Math.abs(time.at.getTime() - now.getTime() - durationMs) >= MINUTE_MS
  return isOtherTime || rangeOfDurations.test(text) || leftoverNumber.test(leftover)
}

/** A request to change existing alarms or reminders in an unsupported way, for which no reminder is created. */
export const unsupportedChange =
  /^(?:please |can you |could you |i want to |bitte |kannst du |por favor,? |puedes |peux[- ]tu )*(?:delete|remove|cancel|forget|stop|skip|clear|dismiss|disable|silence|pause|turn off|switch off|change|move|edit|update|reschedule|lösche?|lösch\p{L}+|entferne?|streiche?|stoppe?|ändere?|verlege?|schalte?|borra|borrar|elimina|eliminar|cancela|cancelar|quita|quitar|cambia|cambiar|mueve|apaga|desactiva|supprimer?|effacer?|annuler?|retirer?|changer?|modifier?|déplacer?|désactiver?|éteins|arrêter?)(?!\p{L}).*(?<!\p{L})(?:alarms?|timers?|reminders?|wecker|alarme?s?|erinnerung(?:en)?|alarmas?|despertador|temporizador|recordatorios?|r[eé]veils?|minuteurs?|rappels?)(?!\p{L})|^(?:don['’]t|do not) (?:wake|remind|delete|cancel|set)|^no me (?:despiertes|recuerdes)|^ne me (?:r[eé]veille|rappelle)/iu

/** A clause instead of a text, after words that needn't be a request: "avísame si llueve", "sag mir Bescheid, ob du kommst". */
export const clauseAtStart: RegExp = /^[\s,]*(?:wenn|falls|ob|sobald|wie|wann|was|si|cu[aá]ndo|cómo|qué)(?!\p{L})/iu

/** Name of an alarm or a timer: its text without times and parts of its duration. */
export function alarmTitle(rest: string): string {
  return rest
    .replace(restOfDuration, ' ')
    .replace(/(?<!\p{L})(?:named|called|namens|llamado|appelé)(?!\p{L})/giu, ' ')
    .replace(
      /^ *(?:set|brand new)\b|\b(?:to )?go off\b|(?<![^,\s])(?:please|por favor|porfa|stp|svp|s['’]il (?:te|vous) pla[iî]t|bitte|ein(?:stellen)?|stellen|auf|für)[.!]?\s*$/giu,
      ' ',
    )
}

/** Words to drop around a reminder's name. */
export const fillerWords: ByLanguage<RegExp> = {
  en: /\b(?:the|my|our|a|an|all|any|both|every|each|these|those|hourly|daily|weekly|monthly|please|reminders?|reminding|me|to|about|of|that|called|named|regarding|on|with|i set|i|as|done|completed?|off|by|for|from|now|it|this|one|last|until|till)\b/giu,
  es: /(?<!\p{L})(?:el|la|los|las|un|una|mi|mis|tod[oa]s|recordatorios?|de|del|que|para|como|hech[oa]|completad[oa]|por favor|por|sobre|lo|est[ea]|es[ea]|últim[oa]|próxim[oa]|hasta)(?!\p{L})/giu,
  fr: /(?<!\p{L})(?:l['’]|le|la|les|un|une|mon|ma|mes|ce|cet|cette|ces|tous|toutes|rappels?|de|du|d['’]|que|pour|comme|faite?|terminée?|à|au|sur|derni(?:er|ère)|prochaine?|jusqu['’]à|vers|s['’]il (?:te|vous) plaît)(?!\p{L})/giu,
  de: /(?<!\p{L})(?:der|die|das|den|dem|eine?|meine?n?|alle|erinnerung(?:en)?|an|als|für|um|erledigt|ab|auf|mich|von|bitte|diesen?|letzten?|nächsten?|täglichen?|bis)(?!\p{L})/giu,
}

/**
 * Words at the edges of a reminder's text, left over around times. The end must not begin after a separator and matches one
 * separator at a time: otherwise a run of commas could be matched in exponentially many ways.
 */
export const edgeWords: ByLanguage<{ start: RegExp; end: RegExp }> = {
  en: {
    start: /^(?:[\s,.:;…–—-]+|(?:to|that|about|of|for|and|i (?:have|need|must)(?: to)?|on|at|in|by)\s+)+/iu,
    end: /(?<![\s,.:;…–—-])(?:[\s,.:;…–—-]|(?<=\s)(?:on|at|in|by|to|and|please))+$/iu,
  },
  es: {
    start: /^(?:[\s,.:;…–—-]+|(?:que|de|para|sobre|y|tengo que|debo|a la|el|en)\s+)+/iu,
    end: /(?<![\s,.:;…–—-])(?:[\s,.:;…–—-]|(?<=\s)(?:a|el|en|de|y|por favor|porfa))+$/iu,
  },
  fr: {
    start: /^(?:[\s,.:;…–—-]+|d['’]|qu['’]|(?:que|de|pour|[àa]|aux?|et|je dois|il faut)\s+)+/iu,
    end: /(?<![\s,.:;…–—-])(?:[\s,.:;…–—-]|(?<=\s)(?:à|le|et|stp|svp|s['’]il te plaît))+$/iu,
  },
  de: {
    start: /^(?:[\s,.:;…–—-]+|(?:daran|ans?|dass|dafür|für|zu|und|mich|am)(?:\s+|,))+/iu,
    end: /(?<![\s,.:;…–—-])(?:[\s,.:;…–—-]|(?<=\s)(?:um|am|an|und|bitte|daran|ein))+$/iu,
  },
}
