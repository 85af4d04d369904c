// Words of questions about the date of the user's items, for all four languages together.

/** Verbs for adding items. Those in the first group hardly have another object. */
const adding = `(?<add>upload(?:ed)?|add(?:ed)?|import(?:ed)?|sub(?:í|imos|ido|ió|id[oa]s?)|añad(?:í|imos|ido|ió|id[oa]s?)|agreg(?:u[eé]|amos|ado|ó|ad[oa]s?)|import(?:[eéó]|amos|ado|ad[oa]s?)|(?:ajout|import|télévers|upload)ée?s?|hochgeladen|hinzugefügt|importiert)|(?<save>save[ds]?|guard(?:[eéó]|amos|ad[oa]s?)|(?:enregistr|sauvegard|envoy)ée?s?|gespeichert|abgelegt)`
const taking = `(?<take>take|took|taken|record(?:ed)?|shoot|shot|film(?:ed)?|photograph(?:ed)?|ma[dk]e|tom(?:[eéó]|amos|ad[oa]s?)|hice|hicimos|hizo|hech[oa]s?|saqu[eé]|sac(?:ó|amos|ad[oa]s?)|grab(?:[eéó]|amos|ad[oa]s?)|film(?:[eéó]|amos|ad[oa]s?)|prise?s?|(?:film|photographi)ée?s?|aufgenommen|gemacht|geschossen|gefilmt|fotografiert)`
const verb = `(?:${adding}|${taking})`
const lately =
  '(?:(?:last|most recently|por última vez|pour la dernière fois|das letzte mal|zum letzten mal|zuletzt) )?'

/** Questions by the user's own action. */
export const ownDateQuestions: readonly RegExp[] = [
  `when did (?:i|we) ${lately}${verb} (?<what>.+)`,
  `when was the last time (?:that )?(?:i|we) ${verb} (?<what>.+)`,
  `cu[aá]ndo (?:fue la [uú]ltima vez que )?${lately}(?:he |hemos )?${verb} ${lately}(?<what>.+)`,
  `quand (?:est-ce que )?(?:ai-je|avons-nous|j['’]ai|nous avons) ${lately}${verb} ${lately}(?<what>.+)`,
  `(?:(?:à )?quand (?:est|remonte)|quelle est) la dernière fois (?:que |où )(?:j['’]ai|nous avons) ${verb} (?<what>.+)`,
  `wann (?:habe?|haben) (?:ich|wir) ${lately}(?<what>.+?) ${lately}${verb}`,
  `wann war das letzte mal,? (?:dass|wo|als) (?:ich|wir) (?<what>.+?) ${verb} (?:habe|haben)`,
].map((source) => new RegExp(`^${source}$`, 'iu'))

/** Questions in the passive voice, or without a verb. */
export const otherDateQuestions: readonly RegExp[] = [
  `when (?:was|were) (?<what>.+?) ${lately}${verb}(?<=ed|taken|shot)`,
  `cu[aá]ndo (?:fue|fueron|se) ${verb} ${lately}(?<what>.+)`,
  `quand (?:a|ont) été ${verb} (?<what>.+)`,
  `quand (?:est-ce que )?(?<what>.+?) (?:a|ont|a-t-(?:elle|il)|ont-(?:elles|ils)) été ${verb}`,
  `wann (?:wurden?|ist|sind) (?<what>.+?) ${lately}${verb}(?: worden)?`,
  `(?:when (?:was|is)|(?:de )?cu[aá]ndo (?:fue|es)|de quand (?:date|est)|(?:von )?wann (?:war|ist|stammt)) (?<what>.+)`,
].map((source) => new RegExp(`^${source}$`, 'iu'))

const whole = (source: string) => new RegExp(`(?<![\\p{L}\\p{N}])(?:${source})(?![\\p{L}\\p{N}])`, 'iu')

export const lastWords: RegExp = whole(
  'last|latest|newest|most recent(?:ly)?|[uú]ltim[oa]s?|más recientes?|derni(?:er|ère)s?|plus récente?s?|zuletzt|letzte[mnrs]?|neueste[mnrs]?',
)
export const lastWordsAtEnd: RegExp =
  / (?:(?:for )?the last time|last|most recently|(?:por|la) [uú]ltima vez|(?:pour )?la dernière fois|zuletzt)$/iu
export const myWords: RegExp = whole('my|our|mis?|nuestr[oa]s?|mon|ma|mes|notre|nos|mein(?:e[mnrs]?)?|unsere?[mnrs]?')
/** Words that make it a question about something else: "the first photo", "a note to the list". */
export const otherDateWords: RegExp = whole(
  'first|primer[oa]?s?|premi(?:er|ère)s?|erste[mnrs]?|to|into|onto|as|als|zu[mr]?|à|au|aux|al|a (?:l[ao]s?|mis?|el)',
)
export const anyItem: RegExp =
  /^(?:(?:something|anything|some (?:file|item)s?|algo|quelque chose|etwas|was)|(?:a|an|one|un|une|ein|eine|my|mi|mon|meine?n?|the|el|le|die|den)? ?(?:(?:last|último|dernier|letzten?) )?(?:thing|upload|import|envoi))$/iu
/** Title of an item without a word for files: "the lease". */
export const titledItem: RegExp =
  /^(?:(?:the|my|our|el|la|los|las|mi|mis|nuestr[oa]|le|les|mon|ma|mes|notre|de[nr]|das|die|mein|meine|meinen|unsere?n?) |l['’])(?:(?:last|latest|newest|[uú]ltim[oa]|derni(?:er|ère)|letzten?|neuesten?) )?(?<topic>[^\s,;:]+(?: [^\s,;:]+){0,3})$/iu
