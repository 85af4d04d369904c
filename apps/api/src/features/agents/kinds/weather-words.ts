import type { AgentLanguage } from '../agent-kind.ts'

type InLanguages = Record<AgentLanguage, string>

/** Weather by the codes of the WMO that the source uses. */
const descriptions: Readonly<Record<number, InLanguages>> = {
  0: { en: 'clear sky', es: 'cielo despejado', fr: 'ciel dégagé', de: 'klarer Himmel' },
  1: { en: 'mainly clear', es: 'mayormente despejado', fr: 'plutôt dégagé', de: 'überwiegend klar' },
  2: { en: 'partly cloudy', es: 'parcialmente nublado', fr: 'partiellement nuageux', de: 'teilweise bewölkt' },
  3: { en: 'overcast', es: 'cubierto', fr: 'couvert', de: 'bedeckt' },
  45: { en: 'fog', es: 'niebla', fr: 'brouillard', de: 'Nebel' },
  48: { en: 'freezing fog', es: 'niebla con escarcha', fr: 'brouillard givrant', de: 'Nebel mit Reif' },
  51: { en: 'light drizzle', es: 'llovizna ligera', fr: 'bruine légère', de: 'leichter Nieselregen' },
  53: { en: 'drizzle', es: 'llovizna', fr: 'bruine', de: 'Nieselregen' },
  55: { en: 'heavy drizzle', es: 'llovizna intensa', fr: 'forte bruine', de: 'starker Nieselregen' },
  56: {
    en: 'light freezing drizzle',
    es: 'llovizna helada ligera',
    fr: 'bruine verglaçante légère',
    de: 'leichter gefrierender Nieselregen',
  },
  57: { en: 'freezing drizzle', es: 'llovizna helada', fr: 'bruine verglaçante', de: 'gefrierender Nieselregen' },
  61: { en: 'light rain', es: 'lluvia ligera', fr: 'pluie légère', de: 'leichter Regen' },
  63: { en: 'rain', es: 'lluvia', fr: 'pluie', de: 'Regen' },
  65: { en: 'heavy rain', es: 'lluvia intensa', fr: 'forte pluie', de: 'starker Regen' },
  66: {
    en: 'light freezing rain',
    es: 'lluvia helada ligera',
    fr: 'pluie verglaçante légère',
    de: 'leichter gefrierender Regen',
  },
  67: { en: 'freezing rain', es: 'lluvia helada', fr: 'pluie verglaçante', de: 'gefrierender Regen' },
  71: { en: 'light snow', es: 'nieve ligera', fr: 'neige légère', de: 'leichter Schneefall' },
  73: { en: 'snow', es: 'nieve', fr: 'neige', de: 'Schneefall' },
  75: { en: 'heavy snow', es: 'nieve intensa', fr: 'forte neige', de: 'starker Schneefall' },
  77: { en: 'snow grains', es: 'granos de nieve', fr: 'neige en grains', de: 'Schneegriesel' },
  80: { en: 'light showers', es: 'chubascos ligeros', fr: 'averses légères', de: 'leichte Regenschauer' },
  81: { en: 'showers', es: 'chubascos', fr: 'averses', de: 'Regenschauer' },
  82: { en: 'violent showers', es: 'chubascos violentos', fr: 'averses violentes', de: 'heftige Regenschauer' },
  85: {
    en: 'light snow showers',
    es: 'chubascos de nieve ligeros',
    fr: 'averses de neige légères',
    de: 'leichte Schneeschauer',
  },
  86: { en: 'snow showers', es: 'chubascos de nieve', fr: 'averses de neige', de: 'Schneeschauer' },
  95: { en: 'thunderstorm', es: 'tormenta', fr: 'orage', de: 'Gewitter' },
  96: { en: 'thunderstorm with hail', es: 'tormenta con granizo', fr: 'orage avec grêle', de: 'Gewitter mit Hagel' },
  99: {
    en: 'thunderstorm with heavy hail',
    es: 'tormenta con granizo fuerte',
    fr: 'orage avec forte grêle',
    de: 'Gewitter mit starkem Hagel',
  },
}

const unknown: InLanguages = { en: 'unknown', es: 'desconocido', fr: 'inconnu', de: 'unbekannt' }

/** What a code of the WMO means. */
export function describeWeather(code: number, language: AgentLanguage): string {
  return (descriptions[code] ?? unknown)[language]
}

interface WeatherWords {
  locale: string
  now: string
  feelsLike: (degrees: string) => string
  wind: (speed: string) => string
  humidity: (percent: string) => string
  rain: (millimetres: string) => string
  chance: (percent: string) => string
  range: (from: string, to: string) => string
  lookingFor: (place: string) => string
  asking: (place: string) => string
  placeMissing: string
  placeUnknown: (place: string) => string
  dayOutOfRange: (last: string) => string
  unreachable: string
  nothingEarlier: string
  stale: (age: string) => string
}

/** What the answers say. */
export const weatherWords: Record<AgentLanguage, WeatherWords> = {
  en: {
    locale: 'en-GB',
    now: 'Now',
    feelsLike: (degrees) => `feels like ${degrees}`,
    wind: (speed) => `wind ${speed}`,
    humidity: (percent) => `humidity ${percent}`,
    rain: (millimetres) => `precipitation ${millimetres}`,
    chance: (percent) => `chance of precipitation ${percent}`,
    range: (from, to) => `${from} to ${to}`,
    lookingFor: (place) => `Looking for ${place}…`,
    asking: (place) => `Asking for the weather in ${place}…`,
    placeMissing: 'Tell me the place as well, such as “weather in Lyon tomorrow”.',
    placeUnknown: (place) =>
      `I do not know a place called “${place}”. Check how it is written, or add its country: “Paris, France”.`,
    dayOutOfRange: (last) => `The forecast reaches from today to ${last} only.`,
    unreachable: 'The weather service cannot be reached right now.',
    nothingEarlier: 'There is no earlier answer for this place. Try again later.',
    stale: (age) => `The weather service cannot be reached right now. This is its last answer, from ${age}.`,
  },
  es: {
    locale: 'es-ES',
    now: 'Ahora',
    feelsLike: (degrees) => `sensación de ${degrees}`,
    wind: (speed) => `viento ${speed}`,
    humidity: (percent) => `humedad ${percent}`,
    rain: (millimetres) => `precipitación ${millimetres}`,
    chance: (percent) => `probabilidad de precipitación ${percent}`,
    range: (from, to) => `de ${from} a ${to}`,
    lookingFor: (place) => `Buscando ${place}…`,
    asking: (place) => `Preguntando por el tiempo en ${place}…`,
    placeMissing: 'Dime también el lugar, por ejemplo «tiempo en Lyon mañana».',
    placeUnknown: (place) =>
      `No conozco ningún lugar llamado «${place}». Revisa cómo se escribe o añade el país: «París, Francia».`,
    dayOutOfRange: (last) => `La previsión solo llega de hoy al ${last}.`,
    unreachable: 'Ahora no se puede llegar al servicio del tiempo.',
    nothingEarlier: 'No hay ninguna respuesta anterior para este lugar. Inténtalo más tarde.',
    stale: (age) => `Ahora no se puede llegar al servicio del tiempo. Esta es su última respuesta, de ${age}.`,
  },
  fr: {
    locale: 'fr-FR',
    now: 'Maintenant',
    feelsLike: (degrees) => `ressenti ${degrees}`,
    wind: (speed) => `vent ${speed}`,
    humidity: (percent) => `humidité ${percent}`,
    rain: (millimetres) => `précipitations ${millimetres}`,
    chance: (percent) => `probabilité de précipitations ${percent}`,
    range: (from, to) => `de ${from} à ${to}`,
    lookingFor: (place) => `Recherche de ${place}…`,
    asking: (place) => `Demande de la météo à ${place}…`,
    placeMissing: 'Indiquez aussi le lieu, par exemple « météo à Lyon demain ».',
    placeUnknown: (place) =>
      `Je ne connais aucun lieu nommé « ${place} ». Vérifiez l’orthographe ou ajoutez le pays : « Paris, France ».`,
    dayOutOfRange: (last) => `Les prévisions vont seulement d’aujourd’hui au ${last}.`,
    unreachable: 'Le service météo est injoignable pour le moment.',
    nothingEarlier: 'Il n’y a pas de réponse antérieure pour ce lieu. Réessayez plus tard.',
    stale: (age) => `Le service météo est injoignable pour le moment. Voici sa dernière réponse, qui date de : ${age}.`,
  },
  de: {
    locale: 'de-DE',
    now: 'Jetzt',
    feelsLike: (degrees) => `gefühlt ${degrees}`,
    wind: (speed) => `Wind ${speed}`,
    humidity: (percent) => `Luftfeuchte ${percent}`,
    rain: (millimetres) => `Niederschlag ${millimetres}`,
    chance: (percent) => `Niederschlagswahrscheinlichkeit ${percent}`,
    range: (from, to) => `${from} bis ${to}`,
    lookingFor: (place) => `Suche ${place} …`,
    asking: (place) => `Frage nach dem Wetter in ${place} …`,
    placeMissing: 'Nenne auch den Ort, zum Beispiel „Wetter in Lyon morgen“.',
    placeUnknown: (place) =>
      `Ich kenne keinen Ort namens „${place}“. Prüf die Schreibweise oder ergänze das Land: „Paris, Frankreich“.`,
    dayOutOfRange: (last) => `Die Vorhersage reicht nur von heute bis ${last}.`,
    unreachable: 'Der Wetterdienst ist gerade nicht erreichbar.',
    nothingEarlier: 'Für diesen Ort gibt es keine frühere Antwort. Versuch es später noch einmal.',
    stale: (age) => `Der Wetterdienst ist gerade nicht erreichbar. Das ist seine letzte Antwort, ${age}.`,
  },
}
