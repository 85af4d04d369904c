import type { FetchProblem } from '../../../adapters/web/web-fetcher.ts'
import type { AgentLanguage } from '../agent-kind.ts'

interface NewsWords {
  reading: (feeds: number) => string
  found: (topic: string) => string
  newest: string
  nothingAbout: (topic: string, items: number) => string
  nothing: string
  noFeeds: string
  unreachable: string
  notRead: (feeds: string) => string
  stale: (age: string) => string
  summary: (items: number) => string
  reasons: Record<Exclude<FetchProblem, 'status'> | 'unreadable', string> & { status: (status: number) => string }
}

/** What the answers say. */
export const newsWords: Record<AgentLanguage, NewsWords> = {
  en: {
    reading: (feeds) => `Reading ${feeds} ${feeds === 1 ? 'feed' : 'feeds'}…`,
    found: (topic) => `News about “${topic}”:`,
    newest: 'The newest:',
    nothingAbout: (topic, items) => `None of the ${items} newest items is about “${topic}”.`,
    nothing: 'The feeds hold no items right now.',
    noFeeds: 'No news feed is listed. An administrator can add some in the settings.',
    unreachable: 'The news cannot be reached right now, and there is no earlier answer. Try again later.',
    notRead: (feeds) => `Not read: ${feeds}.`,
    stale: (age) => `Some of this is older, from ${age}, because its source cannot be reached right now.`,
    summary: (items) => (items === 1 ? '1 item' : `${items} items`),
    reasons: {
      address: 'this is no address that can be read',
      private: 'its address leads into a private network',
      unreachable: 'it cannot be reached',
      timeout: 'it does not answer in time',
      status: (status) => `it answers with error ${status}`,
      redirects: 'it sends on too many times',
      too_large: 'it is too large',
      type: 'this is a page, not a feed',
      broken: 'it cannot be unpacked',
      unreadable: 'it cannot be read as a feed',
    },
  },
  es: {
    reading: (feeds) => `Leyendo ${feeds} ${feeds === 1 ? 'fuente' : 'fuentes'}…`,
    found: (topic) => `Noticias sobre «${topic}»:`,
    newest: 'Lo más reciente:',
    nothingAbout: (topic, items) => `Ninguna de las ${items} noticias más recientes trata de «${topic}».`,
    nothing: 'Ahora las fuentes no tienen noticias.',
    noFeeds: 'No hay ninguna fuente de noticias. Un administrador puede añadirlas en los ajustes.',
    unreachable: 'Ahora no se puede llegar a las noticias y no hay ninguna respuesta anterior. Inténtalo más tarde.',
    notRead: (feeds) => `Sin leer: ${feeds}.`,
    stale: (age) => `Parte de esto es anterior, de ${age}, porque ahora no se puede llegar a su fuente.`,
    summary: (items) => (items === 1 ? '1 noticia' : `${items} noticias`),
    reasons: {
      address: 'no es una dirección que se pueda leer',
      private: 'su dirección lleva a una red privada',
      unreachable: 'no se puede llegar a ella',
      timeout: 'no responde a tiempo',
      status: (status) => `responde con el error ${status}`,
      redirects: 'redirige demasiadas veces',
      too_large: 'es demasiado grande',
      type: 'es una página, no una fuente',
      broken: 'no se puede descomprimir',
      unreadable: 'no se puede leer como fuente',
    },
  },
  fr: {
    reading: (feeds) => `Lecture de ${feeds} flux…`,
    found: (topic) => `Actualités sur « ${topic} » :`,
    newest: 'Les plus récentes :',
    nothingAbout: (topic, items) => `Aucune des ${items} actualités les plus récentes ne traite de « ${topic} ».`,
    nothing: 'Les flux ne contiennent aucune actualité pour le moment.',
    noFeeds: 'Aucun flux d’actualités n’est indiqué. Un administrateur peut en ajouter dans les réglages.',
    unreachable:
      'Les actualités sont injoignables pour le moment et il n’y a pas de réponse antérieure. Réessayez plus tard.',
    notRead: (feeds) => `Non lu : ${feeds}.`,
    stale: (age) => `Une partie est plus ancienne (${age}), car sa source est injoignable pour le moment.`,
    summary: (items) => (items === 1 ? '1 actualité' : `${items} actualités`),
    reasons: {
      address: 'ce n’est pas une adresse lisible',
      private: 'son adresse mène à un réseau privé',
      unreachable: 'il est injoignable',
      timeout: 'il ne répond pas à temps',
      status: (status) => `il répond par l’erreur ${status}`,
      redirects: 'il redirige trop de fois',
      too_large: 'il est trop volumineux',
      type: 'c’est une page, pas un flux',
      broken: 'il ne peut pas être décompressé',
      unreadable: 'il est illisible en tant que flux',
    },
  },
  de: {
    reading: (feeds) => `Lese ${feeds} ${feeds === 1 ? 'Feed' : 'Feeds'} …`,
    found: (topic) => `Nachrichten zu „${topic}“:`,
    newest: 'Das Neueste:',
    nothingAbout: (topic, items) => `Keine der ${items} neuesten Meldungen handelt von „${topic}“.`,
    nothing: 'Die Feeds enthalten gerade keine Meldungen.',
    noFeeds:
      'Es ist kein Nachrichten-Feed eingetragen. Eine Administratorin oder ein Administrator kann welche in den Einstellungen ergänzen.',
    unreachable:
      'Die Nachrichten sind gerade nicht erreichbar, und es gibt keine frühere Antwort. Versuch es später noch einmal.',
    notRead: (feeds) => `Nicht gelesen: ${feeds}.`,
    stale: (age) => `Ein Teil davon ist älter (${age}), weil die Quelle gerade nicht erreichbar ist.`,
    summary: (items) => (items === 1 ? '1 Meldung' : `${items} Meldungen`),
    reasons: {
      address: 'das ist keine lesbare Adresse',
      private: 'seine Adresse führt in ein privates Netz',
      unreachable: 'er ist nicht erreichbar',
      timeout: 'er antwortet nicht rechtzeitig',
      status: (status) => `er antwortet mit Fehler ${status}`,
      redirects: 'er leitet zu oft weiter',
      too_large: 'er ist zu groß',
      type: 'das ist eine Seite, kein Feed',
      broken: 'er lässt sich nicht entpacken',
      unreadable: 'er ist nicht als Feed lesbar',
    },
  },
}
