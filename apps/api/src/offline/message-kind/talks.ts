/** Phrases for something said, advised or agreed in a conversation with the assistant, in the four languages. */
const OF_TALKS = [
  '(?:did|have|had|what|which|that|as) you (?:\\w+ )?(?:say|said|tell|told|write|wrote|written|(?:recommend|suggest|explain|mention)(?:ed)?|(?:advise|propose|promise)d?)',
  'you (?:\\w+ )?(?:told|recommended|suggested|advised|proposed|promised) (?:me|us|that|to)',
  '(?:did|have|had) (?:we|i) (?:\\w+ )?(?:discuss|talk|agree|decide|chat|speak|spoken|ask you|asked you|tell you|told you)',
  'we (?:\\w+ )?(?:discussed|talked|agreed|chatted|spoke)',
  '(?:conversation|talk|chat|discussion)s? with (?:you|(?:the|my|an|your) (?:\\w+ )?(?:assistant|ai|chatbot))',
  '(?:the|my|an) (?:\\w+ )?(?:assistant|chatbot)',
  'me (?:dijiste|recomendaste|sugeriste|aconsejaste|propusiste|explicaste|contaste)|(?:hablamos|acordamos|quedamos|conversamos|te (?:dije|pregunté|conté))',
  '(?:conversación|charla)(?:es)? (?:contigo|con el asistente)|el asistente',
  "tu m['’]as (?:\\w+ )?(?:dit|conseillé|recommandé|suggéré|proposé|expliqué)|m['’](?:as|avais)-tu (?:dit|conseillé|recommandé|suggéré|proposé)",
  "(?:nous avons|avons-nous|on a|on avait) (?:\\w+ )?(?:parlé|discuté|convenu|décidé)|je t['’]ai (?:dit|demandé)",
  "conversations? avec (?:toi|l['’]assistant)|l['’]assistant",
  '(?:hast du|du hast|hattest du) (?:[\\p{L}\\p{N}]+ ){0,6}(?:gesagt|empfohlen|geraten|vorgeschlagen|erklärt|erwähnt|versprochen)',
  '(?:haben wir|wir haben|hatten wir) (?:[\\p{L}\\p{N}]+ ){0,6}(?:besprochen|geredet|gesprochen|vereinbart|ausgemacht)|(?:ich dir|dir) (?:\\w+ )?(?:gesagt|erzählt)',
  '(?:gespräch|unterhaltung|chat) mit (?:dir|dem assistenten)|(?:der|dem|den) assistent(?:en)?',
]
const PATTERN = new RegExp(`(?<![\\p{L}\\p{N}])(?:${OF_TALKS.join('|')})(?![\\p{L}\\p{N}])`, 'iu')

/** True for a question about what was said in an earlier conversation with the assistant. */
export function asksOfTalks(text: string): boolean {
  return PATTERN.test(text.replace(/\s+/g, ' '))
}
