import type { Language } from '@mira/shared'

/** The words by which the built-in engine knows what it is asked. */
interface BuiltinWords {
  greeting: string
  thanks: string
  /** Questions about the assistant itself, without accents. */
  aboutItself: RegExp
  aboutConnecting: RegExp
}

/** One entry a language: a missing one does not compile. */
export const builtinWords: Record<Language, BuiltinWords> = {
  en: {
    greeting: 'hi hello hey howdy greetings good morning afternoon evening day there',
    thanks: 'thanks thank you thx cheers very much a lot many so',
    aboutItself:
      /\b(what (can|do|could) you( do)?|who are you|what are you|how do you work|your (abilities|features|skills)|what is this)\b|^help( me)?$/,
    aboutConnecting:
      /\b(connect|configure|set up|setup|install|add|use)\b.*\b(model|llm|openai|ollama|gpt)\b|\b(language model|llm)\b/,
  },
  es: {
    greeting: 'hola buenas buenos dias tardes noches saludos hey que tal',
    thanks: 'gracias muchas mil por todo',
    aboutItself:
      /\b(que (puedes|sabes) hacer|quien eres|que eres|como funcionas|que es esto|tus (funciones|capacidades))\b|^ayuda(me)?$/,
    aboutConnecting:
      /\b(conect|configur|instal|anad|usar)\w*\b.*\b(modelo|llm|openai|ollama|gpt)\b|\b(modelo de lenguaje|llm)\b/,
  },
  fr: {
    greeting: 'bonjour bonsoir salut coucou hello ca va bonne journee',
    thanks: 'merci beaucoup bien mille',
    aboutItself:
      /\b(que (peux tu|sais tu|pouvez vous|savez vous) faire|qui (es tu|etes vous)|qu est ce que (tu peux|vous pouvez)|comment (fonctionnes tu|fonctionnez vous)|c est quoi)\b|^(aide|aide moi|aidez moi)$/,
    aboutConnecting:
      /\b(connect|configur|install|ajout|utilis)\w*\b.*\b(modele|llm|openai|ollama|gpt)\b|\b(modele de langage|llm)\b/,
  },
  de: {
    greeting: 'hallo hi hey guten morgen tag abend moin servus gruß grüß dich gott',
    thanks: 'danke vielen dank schon sehr herzlichen dir',
    aboutItself:
      /\b(was (kannst|konntest) du|wer bist du|was bist du|wie funktionierst du|was ist das hier|deine (fahigkeiten|funktionen))\b|^hilfe?$|^hilf mir$/,
    aboutConnecting:
      /\b(verbind|einricht|konfigur|install|hinzufug|benutz|nutz)\w*\b.*\b(modell|llm|openai|ollama|gpt)\b|\b(modell|llm|openai|ollama|gpt)\b.*\b(verbind|einricht|konfigur|install|hinzufug|nutz)\w*\b|\b(sprachmodell|llm)\b/,
  },
}
