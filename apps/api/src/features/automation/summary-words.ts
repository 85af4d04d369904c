import type { KeptFigures } from './summaries.store.ts'

const languages = ['en', 'es', 'fr', 'de'] as const
type Language = (typeof languages)[number]

type Count = (count: number) => string
interface Words {
  locale: string
  messages: Count
  sessions: Count
  uploads: Count
  searches: Count
  agentCalls: Count
  people: Count
  nothing: string
  /** A sentence about an instance and one about a person, from a list of what was done. */
  instance(list: string, people: string): string
  own(list: string): string
  more(percent: number): string
  less(percent: number): string
  same: string
  first: string
  busiest(day: string): string
  agent(name: string): string
  success(percent: string): string
  opened(opened: number, searches: number): string
}

const counted =
  (one: string, other: string): Count =>
  (count) =>
    count === 1 ? one : other.replace('#', String(count))

const words: Record<Language, Words> = {
  en: {
    locale: 'en',
    messages: counted('1 message', '# messages'),
    sessions: counted('1 conversation', '# conversations'),
    uploads: counted('1 file added', '# files added'),
    searches: counted('1 search', '# searches'),
    agentCalls: counted('1 agent call', '# agent calls'),
    people: counted('1 person was active', '# people were active'),
    nothing: 'Nothing happened in this week.',
    instance: (list, people) => `${people} in this week: ${list}.`,
    own: (list) => `Your week: ${list}.`,
    more: (percent) => `That is ${percent}% more than in the week before.`,
    less: (percent) => `That is ${percent}% less than in the week before.`,
    same: 'That is as much as in the week before.',
    first: 'In the week before nothing happened.',
    busiest: (day) => `The busiest day was ${day}.`,
    agent: (name) => `${name} was called most.`,
    success: (percent) => `${percent} of the requests ended well.`,
    opened: (opened, searches) => `${opened} results of ${searches} searches were opened.`,
  },
  es: {
    locale: 'es',
    messages: counted('1 mensaje', '# mensajes'),
    sessions: counted('1 conversación', '# conversaciones'),
    uploads: counted('1 archivo añadido', '# archivos añadidos'),
    searches: counted('1 búsqueda', '# búsquedas'),
    agentCalls: counted('1 llamada a un agente', '# llamadas a agentes'),
    people: counted('1 persona estuvo activa', '# personas estuvieron activas'),
    nothing: 'Esta semana no pasó nada.',
    instance: (list, people) => `${people} esta semana: ${list}.`,
    own: (list) => `Tu semana: ${list}.`,
    more: (percent) => `Es un ${percent} % más que la semana anterior.`,
    less: (percent) => `Es un ${percent} % menos que la semana anterior.`,
    same: 'Es tanto como la semana anterior.',
    first: 'La semana anterior no pasó nada.',
    busiest: (day) => `El día con más actividad fue el ${day}.`,
    agent: (name) => `El agente más usado fue ${name}.`,
    success: (percent) => `El ${percent} de las peticiones terminó bien.`,
    opened: (opened, searches) => `Resultados abiertos: ${opened}, en ${searches} búsquedas.`,
  },
  fr: {
    locale: 'fr',
    messages: counted('1 message', '# messages'),
    sessions: counted('1 conversation', '# conversations'),
    uploads: counted('1 fichier ajouté', '# fichiers ajoutés'),
    searches: counted('1 recherche', '# recherches'),
    agentCalls: counted('1 appel d’agent', '# appels d’agents'),
    people: counted('1 personne a été active', '# personnes ont été actives'),
    nothing: 'Il ne s’est rien passé cette semaine.',
    instance: (list, people) => `${people} cette semaine : ${list}.`,
    own: (list) => `Votre semaine : ${list}.`,
    more: (percent) => `C’est ${percent} % de plus que la semaine précédente.`,
    less: (percent) => `C’est ${percent} % de moins que la semaine précédente.`,
    same: 'C’est autant que la semaine précédente.',
    first: 'Il ne s’était rien passé la semaine précédente.',
    busiest: (day) => `Le jour le plus actif a été le ${day}.`,
    agent: (name) => `L’agent le plus appelé a été ${name}.`,
    success: (percent) => `${percent} des requêtes se sont bien terminées.`,
    opened: (opened, searches) => `Résultats ouverts : ${opened}, pour ${searches} recherches.`,
  },
  de: {
    locale: 'de',
    messages: counted('1 Nachricht', '# Nachrichten'),
    sessions: counted('1 Unterhaltung', '# Unterhaltungen'),
    uploads: counted('1 Datei hinzugefügt', '# Dateien hinzugefügt'),
    searches: counted('1 Suche', '# Suchen'),
    agentCalls: counted('1 Aufruf eines Agenten', '# Aufrufe von Agenten'),
    people: counted('1 Person war aktiv', '# Personen waren aktiv'),
    nothing: 'In dieser Woche ist nichts geschehen.',
    instance: (list, people) => `${people} in dieser Woche: ${list}.`,
    own: (list) => `Deine Woche: ${list}.`,
    more: (percent) => `Das sind ${percent} % mehr als in der Woche davor.`,
    less: (percent) => `Das sind ${percent} % weniger als in der Woche davor.`,
    same: 'Das ist so viel wie in der Woche davor.',
    first: 'In der Woche davor ist nichts geschehen.',
    busiest: (day) => `Am meisten geschah am ${day}.`,
    agent: (name) => `Am häufigsten wurde ${name} aufgerufen.`,
    success: (percent) => `${percent} der Anfragen endeten gut.`,
    opened: (opened, searches) => `${opened} Ergebnisse aus ${searches} Suchen wurden geöffnet.`,
  },
}

function wordsOf(language: string): Words {
  return words[languages.find((one) => one === language) ?? 'en']
}

const requestsOf = ({ messages, uploads, searches, agent_calls, effects }: Omit<KeptFigures, 'previous'>): number =>
  messages + uploads + searches + agent_calls + effects

/** A summary in plain words, by rule. */
export function ruleText(figures: KeptFigures, isOwn: boolean, language: string): string {
  const say = wordsOf(language)
  const list = [
    [figures.messages, say.messages] as const,
    [figures.sessions, say.sessions] as const,
    [figures.uploads, say.uploads] as const,
    [figures.searches, say.searches] as const,
    [figures.agent_calls, say.agentCalls] as const,
  ]
    .filter(([count]) => count > 0)
    .map(([count, word]) => word(count))
  if (list.length === 0) return say.nothing
  const listed = new Intl.ListFormat(say.locale, { type: 'conjunction' }).format(list)
  return `${isOwn ? say.own(listed) : say.instance(listed, say.people(figures.active_users))} ${comparison(figures, say)}`
}

function comparison(figures: KeptFigures, say: Words): string {
  const now = requestsOf(figures)
  const before = requestsOf({ ...figures, ...figures.previous })
  if (before === 0) return say.first
  const percent = Math.round((Math.abs(now - before) / before) * 100)
  return percent === 0 ? say.same : now > before ? say.more(percent) : say.less(percent)
}

/** What stands out, a sentence each. */
export function keyInsights(figures: KeptFigures, language: string): string[] {
  const say = wordsOf(language)
  const ended = figures.completed + figures.failed
  const percent = new Intl.NumberFormat(say.locale, { style: 'percent', maximumFractionDigits: 1 })
  const day = new Intl.DateTimeFormat(say.locale, { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' })
  return [
    ...(figures.busiest_day === null ? [] : [say.busiest(day.format(new Date(figures.busiest_day)))]),
    ...(figures.top_agent === null ? [] : [say.agent(figures.top_agent)]),
    ...(ended === 0 ? [] : [say.success(percent.format(figures.completed / ended))]),
    ...(figures.searches === 0 ? [] : [say.opened(figures.opened, figures.searches)]),
  ]
}
