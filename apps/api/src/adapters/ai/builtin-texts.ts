import type { Language } from './language.ts'

/** What the built-in engine says, and the words by which it knows what it is asked. */
export interface BuiltinTexts {
  /** Who it is and what it can do. */
  introduction(assistantName: string, canCalculate: boolean, hasMemory: boolean): string
  welcome: string
  thanks: string
  /** How an administrator connects a language model. */
  connecting: string
  /** Why a tool gave nothing; the reason is a sentence. */
  toolFailed(reason: string): string
  found(count: number): string
  nothingFound: string
  foundInMemory(count: number): string
  /** Above quotes of an attached item, with its name: of places that match the question, or of its beginning. */
  inAttached(title: string): string
  beginningOfAttached(title: string): string
  /** Of an attached item of which nothing can be quoted. */
  nothingInAttached(title: string): string
  /** Of an attached item that is being processed. */
  attachedPending(title: string): string
  /** Instead of what a tool does, while the person is asked. */
  toolWaiting: string
  /** The same where the person's files were searched as well. */
  nothingFoundAnywhere: string
  atPage(page: number): string
  atFrame(frame: number): string
  /** `clock` is 4:05 or 1:04:05. */
  atTime(clock: string): string
  /** Whose words a quote is. */
  youWrote: string
  iAnswered: string
  /** Said below what was found. */
  limits: string
  greetingWords: string
  thanksWords: string
  /** Questions about the assistant itself, without accents. */
  aboutItself: RegExp
  aboutConnecting: RegExp
}

/** One entry a language: a missing one does not compile. */
export const builtinTexts: Record<Language, BuiltinTexts> = {
  en: {
    introduction: (name, canCalculate, hasMemory) =>
      `I am ${name}, running without a language model. I can search your earlier conversations${hasMemory ? ' and what you have added' : ''} and quote what I find, with its place and a link. ${canCalculate ? 'I can also calculate: numbers, percentages, units, dates and equations, such as “15% of 80” or “days until 24 December”. ' : ''}I cannot write, reason or answer from general knowledge until a language model is connected.`,
    welcome: 'Hello.',
    thanks: 'You are welcome.',
    connecting:
      'An administrator connects a language model by setting OPENAI_BASE_URL (any OpenAI-compatible server, such as Ollama, llama.cpp or vLLM) or OPENAI_API_KEY, and CHAT_MODEL, in the server’s environment, and starting it again.',
    toolFailed: (reason) => `That did not work. ${reason}`,
    found: (count) =>
      count === 1
        ? 'I found this in your earlier conversations:'
        : `I found ${count} passages in your earlier conversations:`,
    nothingFound: 'I found nothing about this in your earlier conversations.',
    foundInMemory: (count) =>
      count === 1 ? 'I found this in what you have added:' : `I found ${count} places in what you have added:`,
    inAttached: (title) => `In “${title}” I found:`,
    beginningOfAttached: (title) => `“${title}” begins so:`,
    nothingInAttached: (title) => `There is nothing in “${title}” that I could quote.`,
    attachedPending: (title) => `“${title}” is still being processed: not everything in it is known yet.`,
    toolWaiting:
      'This would change something, and files or web pages are part of this conversation, so I have not done it yet. Allow it above if you want it.',
    nothingFoundAnywhere: 'I found nothing about this in what you have added or in your earlier conversations.',
    atPage: (page) => `page ${page}`,
    atFrame: (frame) => `frame ${frame}`,
    atTime: (clock) => `at ${clock}`,
    youWrote: 'you wrote',
    iAnswered: 'I answered',
    limits: 'No language model is connected, so I can only quote.',
    greetingWords: 'hi hello hey howdy greetings good morning afternoon evening day there',
    thanksWords: 'thanks thank you thx cheers very much a lot many so',
    aboutItself:
      /\b(what (can|do|could) you( do)?|who are you|what are you|how do you work|your (abilities|features|skills)|what is this)\b|^help( me)?$/,
    aboutConnecting:
      /\b(connect|configure|set up|setup|install|add|use)\b.*\b(model|llm|openai|ollama|gpt)\b|\b(language model|llm)\b/,
  },
  es: {
    introduction: (name, canCalculate, hasMemory) =>
      `Soy ${name} y funciono sin modelo de lenguaje. Puedo buscar en tus conversaciones anteriores${hasMemory ? ' y en lo que has añadido' : ''} y citar lo que encuentre, con su lugar y un enlace. ${canCalculate ? 'También puedo calcular: números, porcentajes, unidades, fechas y ecuaciones, como «15% de 80» o «días hasta el 24 de diciembre». ' : ''}No puedo redactar, razonar ni responder con conocimientos generales hasta que se conecte un modelo de lenguaje.`,
    welcome: 'Hola.',
    thanks: 'De nada.',
    connecting:
      'Un administrador conecta un modelo de lenguaje definiendo OPENAI_BASE_URL (cualquier servidor compatible con OpenAI, como Ollama, llama.cpp o vLLM) u OPENAI_API_KEY, y CHAT_MODEL, en el entorno del servidor, y reiniciándolo.',
    toolFailed: (reason) => `No ha funcionado. ${reason}`,
    found: (count) =>
      count === 1
        ? 'He encontrado esto en tus conversaciones anteriores:'
        : `He encontrado ${count} pasajes en tus conversaciones anteriores:`,
    nothingFound: 'No he encontrado nada sobre esto en tus conversaciones anteriores.',
    foundInMemory: (count) =>
      count === 1
        ? 'He encontrado esto en lo que has añadido:'
        : `He encontrado ${count} lugares en lo que has añadido:`,
    inAttached: (title) => `En «${title}» he encontrado:`,
    beginningOfAttached: (title) => `«${title}» empieza así:`,
    nothingInAttached: (title) => `No hay nada en «${title}» que pueda citar.`,
    attachedPending: (title) => `«${title}» aún se está procesando: todavía no se conoce todo su contenido.`,
    toolWaiting:
      'Esto cambiaría algo y en esta conversación hay archivos o páginas web, así que aún no lo he hecho. Permítelo arriba si lo quieres.',
    nothingFoundAnywhere: 'No he encontrado nada sobre esto en lo que has añadido ni en tus conversaciones anteriores.',
    atPage: (page) => `página ${page}`,
    atFrame: (frame) => `fotograma ${frame}`,
    atTime: (clock) => `en ${clock}`,
    youWrote: 'escribiste',
    iAnswered: 'respondí',
    limits: 'No hay ningún modelo de lenguaje conectado, así que solo puedo citar.',
    greetingWords: 'hola buenas buenos dias tardes noches saludos hey que tal',
    thanksWords: 'gracias muchas mil por todo',
    aboutItself:
      /\b(que (puedes|sabes) hacer|quien eres|que eres|como funcionas|que es esto|tus (funciones|capacidades))\b|^ayuda(me)?$/,
    aboutConnecting:
      /\b(conect|configur|instal|anad|usar)\w*\b.*\b(modelo|llm|openai|ollama|gpt)\b|\b(modelo de lenguaje|llm)\b/,
  },
  fr: {
    introduction: (name, canCalculate, hasMemory) =>
      `Je suis ${name} et je fonctionne sans modèle de langage. Je peux chercher dans vos conversations passées${hasMemory ? ' et dans ce que vous avez ajouté' : ''} et citer ce que je trouve, avec l’endroit et un lien. ${canCalculate ? 'Je peux aussi calculer : nombres, pourcentages, unités, dates et équations, comme « 15% de 80 » ou « jours jusqu’au 24 décembre ». ' : ''}Je ne peux ni rédiger, ni raisonner, ni répondre à partir de connaissances générales tant qu’aucun modèle de langage n’est connecté.`,
    welcome: 'Bonjour.',
    thanks: 'Je vous en prie.',
    connecting:
      'Un administrateur connecte un modèle de langage en définissant OPENAI_BASE_URL (tout serveur compatible avec OpenAI, comme Ollama, llama.cpp ou vLLM) ou OPENAI_API_KEY, ainsi que CHAT_MODEL, dans l’environnement du serveur, puis en le redémarrant.',
    toolFailed: (reason) => `Cela n’a pas fonctionné. ${reason}`,
    found: (count) =>
      count === 1
        ? 'J’ai trouvé ceci dans vos conversations passées :'
        : `J’ai trouvé ${count} passages dans vos conversations passées :`,
    nothingFound: 'Je n’ai rien trouvé à ce sujet dans vos conversations passées.',
    foundInMemory: (count) =>
      count === 1
        ? 'J’ai trouvé ceci dans ce que vous avez ajouté :'
        : `J’ai trouvé ${count} endroits dans ce que vous avez ajouté :`,
    inAttached: (title) => `Dans « ${title} », j’ai trouvé :`,
    beginningOfAttached: (title) => `« ${title} » commence ainsi :`,
    nothingInAttached: (title) => `Il n’y a rien dans « ${title} » que je puisse citer.`,
    attachedPending: (title) => `« ${title} » est encore en cours de traitement : tout n’en est pas encore connu.`,
    toolWaiting:
      'Cela changerait quelque chose et cette conversation contient des fichiers ou des pages web : je ne l’ai donc pas encore fait. Autorisez-le ci-dessus si vous le voulez.',
    nothingFoundAnywhere:
      'Je n’ai rien trouvé à ce sujet dans ce que vous avez ajouté ni dans vos conversations passées.',
    atPage: (page) => `page ${page}`,
    atFrame: (frame) => `image ${frame}`,
    atTime: (clock) => `à ${clock}`,
    youWrote: 'vous avez écrit',
    iAnswered: 'j’ai répondu',
    limits: 'Aucun modèle de langage n’est connecté : je ne peux que citer.',
    greetingWords: 'bonjour bonsoir salut coucou hello ca va bonne journee',
    thanksWords: 'merci beaucoup bien mille',
    aboutItself:
      /\b(que (peux tu|sais tu|pouvez vous|savez vous) faire|qui (es tu|etes vous)|qu est ce que (tu peux|vous pouvez)|comment (fonctionnes tu|fonctionnez vous)|c est quoi)\b|^(aide|aide moi|aidez moi)$/,
    aboutConnecting:
      /\b(connect|configur|install|ajout|utilis)\w*\b.*\b(modele|llm|openai|ollama|gpt)\b|\b(modele de langage|llm)\b/,
  },
  de: {
    introduction: (name, canCalculate, hasMemory) =>
      `Ich bin ${name} und laufe ohne Sprachmodell. Ich kann deine früheren Gespräche${hasMemory ? ' und was du hinzugefügt hast' : ''} durchsuchen und zitieren, was ich finde, mit Fundstelle und Link. ${canCalculate ? 'Ich kann auch rechnen: Zahlen, Prozente, Einheiten, Daten und Gleichungen, etwa „15% von 80“ oder „Tage bis 24. Dezember“. ' : ''}Schreiben, schlussfolgern oder aus allgemeinem Wissen antworten kann ich erst, wenn ein Sprachmodell verbunden ist.`,
    welcome: 'Hallo.',
    thanks: 'Gern geschehen.',
    connecting:
      'Ein Administrator verbindet ein Sprachmodell, indem er OPENAI_BASE_URL (jeder OpenAI-kompatible Server, etwa Ollama, llama.cpp oder vLLM) oder OPENAI_API_KEY sowie CHAT_MODEL in der Umgebung des Servers setzt und ihn neu startet.',
    toolFailed: (reason) => `Das hat nicht geklappt. ${reason}`,
    found: (count) =>
      count === 1
        ? 'Das habe ich in deinen früheren Gesprächen gefunden:'
        : `Ich habe ${count} Stellen in deinen früheren Gesprächen gefunden:`,
    nothingFound: 'Dazu habe ich in deinen früheren Gesprächen nichts gefunden.',
    foundInMemory: (count) =>
      count === 1
        ? 'Das habe ich in dem gefunden, was du hinzugefügt hast:'
        : `Ich habe ${count} Stellen in dem gefunden, was du hinzugefügt hast:`,
    inAttached: (title) => `In „${title}“ habe ich gefunden:`,
    beginningOfAttached: (title) => `„${title}“ beginnt so:`,
    nothingInAttached: (title) => `In „${title}“ ist nichts, was ich zitieren könnte.`,
    attachedPending: (title) => `„${title}“ wird noch verarbeitet: Noch ist nicht alles daraus bekannt.`,
    toolWaiting:
      'Das würde etwas verändern, und zu diesem Gespräch gehören Dateien oder Webseiten; deshalb habe ich es noch nicht getan. Erlaube es oben, wenn du es möchtest.',
    nothingFoundAnywhere:
      'Dazu habe ich weder in dem, was du hinzugefügt hast, noch in deinen früheren Gesprächen etwas gefunden.',
    atPage: (page) => `Seite ${page}`,
    atFrame: (frame) => `Bild ${frame}`,
    atTime: (clock) => `bei ${clock}`,
    youWrote: 'du schriebst',
    iAnswered: 'ich antwortete',
    limits: 'Es ist kein Sprachmodell verbunden, daher kann ich nur zitieren.',
    greetingWords: 'hallo hi hey guten morgen tag abend moin servus gruß grüß dich gott',
    thanksWords: 'danke vielen dank schon sehr herzlichen dir',
    aboutItself:
      /\b(was (kannst|konntest) du|wer bist du|was bist du|wie funktionierst du|was ist das hier|deine (fahigkeiten|funktionen))\b|^hilfe?$|^hilf mir$/,
    aboutConnecting:
      /\b(verbind|einricht|konfigur|install|hinzufug|benutz|nutz)\w*\b.*\b(modell|llm|openai|ollama|gpt)\b|\b(modell|llm|openai|ollama|gpt)\b.*\b(verbind|einricht|konfigur|install|hinzufug|nutz)\w*\b|\b(sprachmodell|llm)\b/,
  },
}
