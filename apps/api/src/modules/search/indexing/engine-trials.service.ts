import type { Embedder } from '../../../engines/engine-types.ts'
import type { Log } from '../../../log.ts'
import type { EngineModel } from './engine-profiles.ts'

/** Trust in an engine's cosines by language, 0 to 1. */
type LanguageTrust = Record<string, number>

/**
 * Questions by language, each with a text that answers it in other words. An engine that understands meaning puts each
 * question nearest to its own answer; an engine that only counts words doesn't.
 */
const trialPairs: Record<string, [question: string, answer: string][]> = {
  en: [
    ['how do I fix my car', 'The mechanic repaired the engine of the vehicle'],
    ['a child playing with a puppy', 'Little boy and young dog romping around'],
    ['when does the doctor see me', 'Medical appointment at the clinic on Monday'],
    ['what must be paid for electricity', 'Power company invoice: amount due sixty dollars'],
    ['recipe for dessert', 'Bake the cake with sugar, butter and eggs'],
    ['people getting married', 'Bride and groom at the church wedding ceremony'],
    ['holiday by the ocean', 'Summer vacation: beach, waves and sand'],
    ['flying to another country', 'Airline ticket, departure from the airport'],
    ['learning at university', 'Students attend lectures and take exams'],
    ['snow and ice', 'Cold winter weather, freezing temperatures'],
    ['money from my employer', 'Monthly salary was transferred by the company'],
    ['listening to songs', 'Band plays music on guitar and drums'],
  ],
  es: [
    ['cómo arreglo mi coche', 'El mecánico reparó el motor del vehículo'],
    ['un niño juega con un cachorro', 'Chiquillo y perro joven divirtiéndose'],
    ['cuándo me ve el médico', 'Cita en la clínica con la doctora el lunes'],
    ['qué hay que pagar de luz', 'Factura de la compañía eléctrica: importe sesenta euros'],
    ['receta de postre', 'Hornear el pastel con azúcar, mantequilla y huevos'],
    ['gente que se casa', 'Novia y novio, ceremonia de boda, iglesia'],
    ['vacaciones junto al mar', 'Verano: playa, olas y arena'],
    ['volar a otro país', 'Billete de avión, salida del aeropuerto'],
    ['aprender en la universidad', 'Los estudiantes asisten a clases y hacen exámenes'],
    ['nieve y hielo', 'Tiempo frío de invierno, temperaturas bajo cero'],
    ['dinero de mi empleador', 'Salario mensual transferido por la empresa'],
    ['escuchar canciones', 'Grupo toca música con guitarra y batería'],
  ],
  fr: [
    ['comment réparer ma voiture', 'Le mécanicien a remis en état le moteur du véhicule'],
    ['un enfant joue avec un chiot', 'Petit garçon et jeune chien qui s’amusent'],
    ['quand vais-je voir le médecin', 'Rendez-vous à la clinique, docteur, lundi'],
    ['combien payer pour l’électricité', 'Facture d’énergie : montant dû soixante euros'],
    ['recette de dessert', 'Cuire le gâteau : sucre, beurre et œufs'],
    ['des gens qui se marient', 'Noces à l’église, la mariée et son époux'],
    ['vacances au bord de la mer', 'Été : plage, vagues et sable'],
    ['voler vers un autre pays', 'Billet d’avion, départ depuis l’aéroport'],
    ['apprendre à l’université', 'Les étudiants suivent les cours et passent les examens'],
    ['neige et glace', 'Temps froid d’hiver, températures sous zéro'],
    ['argent de mon employeur', 'Salaire mensuel viré par l’entreprise'],
    ['écouter des chansons', 'Groupe jouant de la musique, guitare et batterie'],
  ],
  de: [
    ['wie repariere ich mein Auto', 'Der Mechaniker setzte den Motor des Fahrzeugs instand'],
    ['ein Kind spielt mit einem Welpen', 'Kleiner Junge und junger Hund toben herum'],
    ['wann sehe ich den Arzt', 'Termin in der Praxis der Ärztin am Montag'],
    ['was kostet der Strom', 'Rechnung des Energieversorgers: Betrag sechzig Euro'],
    ['Rezept für eine Nachspeise', 'Kuchen backen: Zucker, Butter und Eier'],
    ['Leute heiraten', 'Braut und Bräutigam bei der Hochzeit in der Kirche'],
    ['Urlaub am Meer', 'Sommerferien: Strand, Wellen und Sand'],
    ['in ein anderes Land fliegen', 'Flugticket, Abreise vom Flughafen'],
    ['lernen an der Universität', 'Studenten besuchen Vorlesungen und schreiben Prüfungen'],
    ['Schnee und Eis', 'Kaltes Winterwetter, Temperaturen unter null'],
    ['Geld von meinem Arbeitgeber', 'Das Monatsgehalt wurde von der Firma überwiesen'],
    ['Lieder hören', 'Band macht Musik, Gitarre und Schlagzeug'],
  ],
}
/** Mean reciprocal rank that random vectors reach. Up to this rank, trust is 0. */
const RANDOM_RANK = 0.26
/** Mean reciprocal rank that the best engines reach. From this rank on, trust is 1. */
const GOOD_RANK = 0.8

/** Measures how well an engine understands meaning, with two requests to it. @throws EngineError */
export async function tryEngine(embedder: Embedder, signal: AbortSignal): Promise<LanguageTrust> {
  const pairs = Object.values(trialPairs).flat()
  const questions = await embedder.embed(
    pairs.map(([question]) => question),
    'query',
    signal,
  )
  const answers = await embedder.embed(
    pairs.map(([, answer]) => answer),
    'passage',
    signal,
  )
  const trust: LanguageTrust = {}
  let begin = 0
  for (const [language, { length }] of Object.entries(trialPairs)) {
    const [questionVectors, answerVectors] = [questions.vectors, answers.vectors].map((all) =>
      all.slice(begin, begin + length),
    )
    trust[language] = trustOf(meanReciprocalRank(questionVectors ?? [], answerVectors ?? []))
    begin += length
  }
  return trust
}

/** Trust in an engine for a language; for a language that wasn't tried, the mean of all languages. */
export function trustIn(trust: LanguageTrust, language: string | null): number {
  const all = Object.values(trust)
  return trust[language ?? ''] ?? all.reduce((sum, one) => sum + one, 0) / Math.max(1, all.length)
}

function trustOf(rank: number): number {
  return Math.min(1, Math.max(0, (rank - RANDOM_RANK) / (GOOD_RANK - RANDOM_RANK)))
}

function meanReciprocalRank(questions: number[][], answers: number[][]): number {
  const ranks = questions.map((question, index) => {
    const cosines = answers.map((answer) => cosine(question, answer))
    // An equally near answer counts as nearer, so that equal vectors earn no trust.
    return cosines.filter((cosine) => cosine >= (cosines[index] ?? 0)).length
  })
  return ranks.reduce((sum, rank) => sum + 1 / rank, 0) / Math.max(1, ranks.length)
}

function cosine(one: number[], other: number[]): number {
  const dot = one.reduce((sum, number, index) => sum + number * (other[index] ?? 0), 0)
  return dot / (Math.hypot(...one) * Math.hypot(...other) || 1)
}

/** Trust in an engine that hasn't been tried yet. */
const UNKNOWN_TRUST = 0.5
const TRIAL_TIMEOUT_MS = 60_000
/** Maximum wait of a search for the trial of a new engine. */
const MAX_WAIT_MS = 400
/** Delay before retrying a failed trial. */
const RETRY_AFTER_MS = 60_000

export type EngineTrials = ReturnType<typeof createEngineTrials>

/** Tries each embedding engine once, to measure the trust in its vectors. */
export function createEngineTrials({ log }: { log: Log }) {
  const trialsByEngine = new Map<string, { trust: Promise<LanguageTrust | null>; failedAt: number }>()

  const begin = (embedder: Embedder): Promise<LanguageTrust | null> => {
    const key = keyOf({ engine: embedder.engine, model: embedder.model() ?? '' })
    const earlier = trialsByEngine.get(key)
    if (earlier && (earlier.failedAt === 0 || performance.now() - earlier.failedAt < RETRY_AFTER_MS))
      return earlier.trust
    const trial = { failedAt: 0, trust: Promise.resolve<LanguageTrust | null>(null) }
    trial.trust = tryEngine(embedder, AbortSignal.timeout(TRIAL_TIMEOUT_MS)).catch((error: unknown) => {
      log.warn({ err: error, model: embedder.model() }, 'could not try an embedding engine')
      trial.failedAt = performance.now()
      return null
    })
    trialsByEngine.set(key, trial)
    return trial.trust
  }

  return {
    /** Starts the trial of an engine, unless it was tried before. Never throws. */
    begin: (embedder: Embedder): void => void begin(embedder),

    /**
     * Trust in an engine's vectors for a language (ISO 639-1; null when unsure), 0 to 1.
     * @param embedder the chosen engine. An engine that made the vectors but is no longer chosen isn't tried any more.
     */
    async trustIn(engineModel: EngineModel, embedder: Embedder | null, language: string | null): Promise<number> {
      const isChosen =
        embedder !== null &&
        embedder.engine === engineModel.engine &&
        (embedder.model() ?? engineModel.model) === engineModel.model
      const trial = isChosen ? begin(embedder) : trialsByEngine.get(keyOf(engineModel))?.trust
      if (trial === undefined) return UNKNOWN_TRUST
      let timer: NodeJS.Timeout | undefined
      const timeout = new Promise<null>((resolve) => {
        timer = setTimeout(resolve, MAX_WAIT_MS, null)
      })
      const trust = await Promise.race([trial, timeout])
      clearTimeout(timer)
      return trust === null ? UNKNOWN_TRUST : trustIn(trust, language)
    },
  }
}

function keyOf({ engine, model }: EngineModel): string {
  return `${engine} ${model}`
}
