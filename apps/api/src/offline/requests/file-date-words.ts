// Words of questions about the date of the user's items, for all four languages together.

/** Verbs for adding items. The object of a verb in the group `add` is hardly anything but an item. */
const adding = `(?<add>upload(?:ed)?|add(?:ed)?|import(?:ed)?|sub(?:í|imos|ido|ió|id[oa]s?)|añad(?:í|imos|ido|ió|id[oa]s?)|agreg(?:u[eé]|amos|ado|ó|ad[oa]s?)|import(?:[eéó]|amos|ado|ad[oa]s?)|(?:ajout|import|télévers|upload)ée?s?|hochgeladen|hinzugefügt|importiert)|(?<save>save[ds]?|guard(?:[eéó]|amos|ad[oa]s?)|(?:enregistr|sauvegard|envoy)ée?s?|gespeichert|abgelegt)`
const taking = `(?<take>take|took|taken|record(?:ed)?|shoot|shot|film(?:ed)?|photograph(?:ed)?|ma[dk]e|tom(?:[eéó]|amos|ad[oa]s?)|hice|hicimos|hizo|hech[oa]s?|saqu[eé]|sac(?:ó|amos|ad[oa]s?)|grab(?:[eéó]|amos|ad[oa]s?)|film(?:[eéó]|amos|ad[oa]s?)|prise?s?|(?:film|photographi)ée?s?|aufgenommen|gemacht|geschossen|gefilmt|fotografiert)`
const verb = `(?:${adding}|${taking})`
/** Adverbs that ask for the newest or the oldest item. */
const lastOrFirst =
  '(?:(?:last|first|most recently|for the first time|por (?:última|primera) vez|pour la (?:dernière|première) fois|das (?:letzte|erste) mal|zum (?:letzten|ersten) mal|zuletzt|zuerst) )?'

/** Questions about an action of the user: "when did I upload the lease". */
export const ownDateQuestions: readonly RegExp[] = [
  `when did (?:i|we) ${lastOrFirst}${verb} (?<what>.+)`,
  `when was the (?:last|first) time (?:that )?(?:i|we) ${verb} (?<what>.+)`,
  `cu[aá]ndo (?:fue la (?:[uú]ltima|primera) vez que )?${lastOrFirst}(?:he |hemos )?${verb} ${lastOrFirst}(?<what>.+)`,
  `quand (?:est-ce que )?(?:ai-je|avons-nous|j['’]ai|nous avons) ${lastOrFirst}${verb} ${lastOrFirst}(?<what>.+)`,
  `(?:(?:à )?quand (?:est|remonte)|quelle est) la (?:dernière|première) fois (?:que |où )(?:j['’]ai|nous avons) ${verb} (?<what>.+)`,
  `wann (?:habe?|haben) (?:ich|wir) ${lastOrFirst}(?<what>.+?) ${lastOrFirst}${verb}`,
  `wann war das (?:letzte|erste) mal,? (?:dass|wo|als) (?:ich|wir) (?<what>.+?) ${verb} (?:habe|haben)`,
].map((source) => new RegExp(`^${source}$`, 'iu'))

/** Questions in the passive voice, or without a verb for adding or taking: "when was the party". */
export const otherDateQuestions: readonly RegExp[] = [
  `when (?:was|were) (?<what>.+?) ${lastOrFirst}${verb}(?<=ed|taken|shot)`,
  `cu[aá]ndo (?:fue|fueron|se) ${verb} ${lastOrFirst}(?<what>.+)`,
  `quand (?:a|ont) été ${verb} (?<what>.+)`,
  `quand (?:est-ce que )?(?<what>.+?) (?:a|ont|a-t-(?:elle|il)|ont-(?:elles|ils)) été ${verb}`,
  `wann (?:wurden?|ist|sind) (?<what>.+?) ${lastOrFirst}${verb}(?: worden)?`,
  `(?:when (?:was|is)|(?:de )?cu[aá]ndo (?:fue|es)|de quand (?:date|est)|à quand remonte|(?:von )?wann (?:war|ist|stammt)) (?<what>.+)`,
].map((source) => new RegExp(`^${source}$`, 'iu'))

const whole = (source: string) => new RegExp(`(?<![\\p{L}\\p{N}])(?:${source})(?![\\p{L}\\p{N}])`, 'iu')

export const lastWords: RegExp = whole(
  'last|latest|newest|most recent(?:ly)?|[uú]ltim[oa]s?|más recientes?|derni(?:er|ère)s?|plus récente?s?|zuletzt|letzte[mnrs]?|neueste[mnrs]?',
)
export const firstWords: RegExp = whole(
  'first|oldest|earliest|primer[oa]?s?|más antigu[oa]s?|premi(?:er|ère)s?|plus ancien(?:ne)?s?|zuerst|erste[mnrs]?|älteste[mnrs]?|früheste[mnrs]?',
)
/** "the first emoji", "le premier émoji" */
export const firstAtStart: RegExp = new RegExp(String.raw`^(?:\p{L}+ )?${firstWords.source}`, 'iu')
export const lastOrFirstAtEnd: RegExp =
  / (?:(?:for )?the (?:last|first) time|last|first|most recently|(?:por|la) (?:[uú]ltima|primera) vez|(?:pour )?la (?:dernière|première) fois|zuletzt|zuerst)$/iu
export const myWords: RegExp = whole('my|our|mis?|nuestr[oa]s?|mon|ma|mes|notre|nos|mein(?:e[mnrs]?)?|unsere?[mnrs]?')
/** Words that show that a question isn't about the date of an item: "when did I add a note to the list". */
export const otherDateWords: RegExp = whole('to|into|onto|as|als|zu[mr]?|à|au|aux|al|a (?:l[ao]s?|mis?|el)')
/** Any item, without a topic: "something", "my last upload". */
export const anyItem: RegExp =
  /^(?:(?:something|anything|some (?:file|item)s?|algo|quelque chose|etwas|was)|(?:a|an|one|un|une|ein|eine|my|mi|mon|meine?n?|the|el|le|die|den)? ?(?:(?:last|first|último|primer|dernier|premier|letzten?|ersten?) )?(?:thing|upload|import|envoi))$/iu
/** Title of an item without a word for files: "the lease". */
export const titledItem: RegExp =
  /^(?:(?:the|my|our|el|la|los|las|mi|mis|nuestr[oa]|le|les|mon|ma|mes|notre|de[nr]|das|die|mein|meine|meinen|unsere?n?) |l['’])(?:(?:last|latest|newest|[uú]ltim[oa]|derni(?:er|ère)|letzten?|neuesten?) )?(?<topic>[^\s,;:]+(?: [^\s,;:]+){0,3})$/iu
