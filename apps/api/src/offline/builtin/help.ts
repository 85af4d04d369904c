import type { Language } from '@mira/shared'
import { plainWords } from '../language/language.ts'

/** Subject of a question about using Mira, as the key of its answer. */
export type HelpSubject =
  | ('upload' | 'formats' | 'import' | 'users' | 'backup' | 'password' | 'theme' | 'language')
  | ('account' | 'share' | 'find' | 'reminder' | 'phone' | 'notifications' | 'effects' | 'settings')

/**
 * Words of a subject, without accents: pairs of verbs and nouns for "how do I …", in German with infinitives and then the forms
 * with "ich", and nouns for "where is …".
 */
interface HelpWords {
  link: string
  actions: Record<Language, [verbs: string, nouns: string, ownForms?: string][]>
  places?: string
}

const SETTINGS = '/dashboard?tab=settings'

const fileNouns = {
  en: '(?:(?:(?:pdf|word|audio|text) )?(?:files?|pdfs?|docs?|documents?|photos?|pictures?|images?|videos?|movies|recordings?|emails|spreadsheets|music)(?: and (?:files|pdfs|documents|photos|pictures|images|videos))?)',
  es: '(?:(?:(?:archivos?|documentos?) )?pdfs?|archivos?|ficheros?|documentos?|fotos?|imagen|imagenes|videos?|grabacion|grabaciones|correos|musica)',
  fr: '(?:(?:(?:fichiers?|documents?) )?pdfs?|fichiers?|documents?|photos?|images?|videos?|enregistrements?|e mails|musique)',
  de: '(?:(?:(?:pdf|word) )?datei(?:en)?|pdfs?|dokumente?|fotos?|bild|bilder|videos?|aufnahmen?|e mails|musik)',
}
const apps =
  '(?:chatgpt|chat gpt|claude|open ?webui|librechat|google(?: photos| fotos)?|takeout|google takeout|icloud|apple(?: photos| fotos)?|immich|(?:an)?other (?:app|program|mira|service|assistant)s?|otr[ao]s? (?:app|aplicacion|programa|mira|servicio|asistente)(?:es|s)?|d? ?(?:une? )?autres? (?:app|application|appli|programme|mira|service|assistant)s?|(?:einer |einem )?anderen? (?:app|apps|programm|programmen|mira|dienst|assistenten))'
const devices =
  '(?:my |a |the |mi |un |el |mon |mein |meinem |einem |dem )?(?:phone|iphone|android|android phone|mobile|smartphone|tablet|ipad|telefono|movil|celular|tableta|telephone|portable|tablette|handy|telefon)'

const helpWords: Record<HelpSubject, HelpWords> = {
  upload: {
    link: '/upload',
    actions: {
      en: [['upload|add', `${fileNouns.en}|something|things|stuff|media`]],
      es: [['subir|subo|anadir|anado|agregar|agrego|cargar|cargo', `${fileNouns.es}|algo|cosas`]],
      fr: [
        [
          'importer|importe|ajouter|ajoute|televerser|televerse|envoyer|envoie|charger',
          `${fileNouns.fr}|quelque chose`,
        ],
      ],
      de: [['hochladen|hinzufugen', `${fileNouns.de}|etwas|was|medien`, 'lade|fuge']],
    },
  },
  formats: {
    link: '/upload',
    actions: {
      en: [['(?:can|do) you (?:read|understand|open|handle|support|view|see|watch|hear|process|search)', fileNouns.en]],
      es: [['(?:puedes|sabes) (?:leer|entender|abrir|ver|procesar)|(?:lees|entiendes|admites)', fileNouns.es]],
      fr: [
        [
          '(?:(?:est ce que )?(?:tu peux|tu sais|vous pouvez)|peux tu|sais tu|pouvez vous|savez vous) (?:lire|comprendre|ouvrir|voir|traiter)',
          fileNouns.fr,
        ],
      ],
      de: [
        ['kannst du|konnen sie|verstehst du|liest du', `${fileNouns.de} (?:lesen|verstehen|offnen|sehen|verarbeiten)`],
      ],
    },
  },
  import: {
    link: SETTINGS,
    actions: {
      en: [
        [
          'import|migrate|transfer|move|bring(?: in)?|get',
          `(?:(?:chats|conversations|history|chat history|data|photos|pictures|files|everything)(?: over)? )?from ${apps}|chats|conversations|data|chat history`,
        ],
      ],
      es: [
        [
          'importar|importo|migrar|migro|traer|traigo|pasar|paso',
          `(?:(?:chats|conversaciones|historial|datos|fotos|archivos|todo) )?(?:de|desde) ${apps}|chats|conversaciones|datos`,
        ],
      ],
      fr: [
        [
          'importer|importe|migrer|transferer|transfere|recuperer',
          `(?:(?:chats|conversations|historique|donnees|photos|fichiers|tout) )?(?:de|d|depuis) ?${apps}|chats|conversations|donnees`,
        ],
      ],
      de: [
        [
          'importieren|ubernehmen|umziehen|ubertragen|mitnehmen',
          `(?:(?:chats|unterhaltungen|verlauf|daten|fotos|dateien|alles) )?(?:aus|von) ${apps}|chats|unterhaltungen|daten`,
          'importiere|ubernehme|ubertrage',
        ],
      ],
    },
  },
  users: {
    link: '/admin',
    actions: {
      en: [
        [
          'add|create|invite|register',
          '(?:user|person|account|member|guest|family member)s?|people|friends?|someone|somebody',
        ],
      ],
      es: [
        [
          'anadir|anado|agregar|agrego|crear|creo|invitar|invito',
          '(?:a )?(?:alguien|(?:una? )?(?:usuari[oa]|persona|cuenta|amig[oa]|invitado)s?)',
        ],
      ],
      fr: [
        [
          'ajouter|ajoute|creer|cree|inviter|invite',
          '(?:utilisat(?:eur|rice)|personne|compte|membre|ami|amie)s?|quelqu un',
        ],
      ],
      de: [
        [
          'hinzufugen|anlegen|einladen|erstellen',
          'benutzer(?:konto|in|innen)?|nutzer(?:konto)?|personen?|konto|konten|jemanden|leute|freunde?',
          'fuge|lege|lade|erstelle',
        ],
      ],
    },
    places: 'user management|gestion de usuarios|gestion des utilisateurs|benutzerverwaltung',
  },
  backup: {
    link: '/admin?tab=settings#backups',
    actions: {
      en: [
        [
          '(?:back ?up|(?:make|create|do|take) (?:an? )?back ?ups? of)',
          'data|memory|files|everything|server|instance|mira|database|library|account|it all',
        ],
        ['make|create|do|take|start|download|restore', 'back ?ups?'],
      ],
      es: [
        [
          '(?:hacer|hago|crear|creo|descargar|restaurar) (?:una )?(?:copias?(?: de seguridad)?|respaldos?|backups?)',
          '|(?:de |del )?(?:los |mis )?(?:datos|memoria|archivos|todo|servidor|mira)',
        ],
        ['respaldar|respaldo', 'datos|memoria|archivos|todo|servidor'],
      ],
      fr: [
        ['sauvegarder|sauvegarde', 'donnees|memoire|fichiers|tout|serveur|mira'],
        [
          '(?:faire|fais|creer|cree|telecharger|restaurer) (?:une )?(?:sauvegardes?|backups?)',
          '|(?:de |d |des |du )?(?:mes |ma |les )?(?:donnees|memoire|fichiers|tout|serveur|mira)',
        ],
      ],
      de: [
        ['sichern', 'daten|gedachtnis|dateien|alles|server|mira', 'sichere'],
        [
          'machen|erstellen|anlegen|herunterladen|wiederherstellen',
          '(?:sicherung(?:en)?|sicherungskopien?|backups?|datensicherung)(?: (?:von |der )?(?:meinen? |allen? )?(?:daten|dateien|gedachtnis|allem))?',
          'mache|erstelle|lege',
        ],
      ],
    },
  },
  password: {
    link: SETTINGS,
    actions: {
      en: [['change|reset|update|set', 'passwords?|login password|account password']],
      es: [['cambiar|cambio|restablecer|restablezco|actualizar', 'contrasenas?|clave|password']],
      fr: [['changer|change|modifier|modifie|reinitialiser|reinitialise', '(?:de )?mots? de passe']],
      de: [['andern|wechseln|zurucksetzen|setzen', 'passwort|kennwort|passworter', 'andere|wechsle|setze']],
    },
  },
  theme: {
    link: `${SETTINGS}#appearance`,
    actions: {
      en: [
        [
          'change|switch(?: to)?|turn (?:on|off)|enable|disable|use|activate|set|get|choose',
          '(?:dark|light|night) (?:mode|theme)|theme|themes|appearance|colou?r scheme',
        ],
      ],
      es: [
        [
          'cambiar|cambio|activar|activo|desactivar|desactivo|usar|uso|poner|pongo|elegir',
          '(?:al? )?(?:modo|tema) (?:oscuro|claro)|tema|apariencia',
        ],
      ],
      fr: [
        [
          'changer|change|activer|active|desactiver|passer|utiliser|choisir',
          '(?:de |en |au )?(?:mode|theme) (?:sombre|clair)|(?:de )?theme|apparence',
        ],
      ],
      de: [
        [
          'andern|wechseln|einschalten|ausschalten|aktivieren|einstellen|nutzen|anmachen',
          '(?:dunkle[nrs]?|helle[nrs]?|dunkel|hell) ?(?:modus|design|thema)?|design|darstellung|darkmode|dark mode',
          'andere|wechsle|schalte|aktiviere|stelle',
        ],
      ],
    },
  },
  language: {
    link: `${SETTINGS}#region`,
    actions: {
      en: [['change|switch|set|choose', '(?:(?:app|interface|display) )?languages?|time ?zone|region']],
      es: [['cambiar|cambio|elegir|elijo|poner|pongo', '(?:de )?(?:idioma|lengua|zona horaria|region)']],
      fr: [['changer|change|choisir|choisis|regler', '(?:de |la )?(?:langue|fuseau horaire|region)']],
      de: [['andern|wechseln|einstellen|umstellen', 'sprache|zeitzone|region', 'andere|wechsle|stelle']],
    },
  },
  account: {
    link: `${SETTINGS}#data`,
    actions: {
      en: [['delete|remove|close|erase|cancel', 'account|profile|(?:all )?(?:my )?data|user account']],
      es: [['borrar|borro|eliminar|elimino|cerrar|cierro', 'cuenta|perfil|(?:todos )?(?:mis )?datos']],
      fr: [['supprimer|supprime|effacer|efface|fermer|ferme', 'compte|profil|(?:toutes )?(?:mes )?donnees']],
      de: [
        [
          'loschen|entfernen|schließen|kundigen',
          'konto|account|profil|benutzerkonto|daten',
          'losche|entferne|schließe',
        ],
      ],
    },
  },
  share: {
    link: '/chat',
    actions: {
      en: [['share|publish', '(?:conversation|chat)s?(?: with (?:others|someone|somebody|other people|a friend))?']],
      es: [
        [
          'compartir|comparto|publicar',
          '(?:conversacion|conversaciones|chats?)(?: con (?:otros|alguien|otras personas))?',
        ],
      ],
      fr: [
        [
          'partager|partage|publier',
          '(?:conversation|discussion|chat)s?(?: avec (?:d autres|quelqu un|d autres personnes))?',
        ],
      ],
      de: [
        [
          'teilen|freigeben|veroffentlichen',
          '(?:unterhaltung|unterhaltungen|chats?|gesprach)(?: mit (?:anderen|jemandem))?',
          'teile|gebe',
        ],
      ],
    },
  },
  find: {
    link: '/memory',
    actions: {
      en: [
        [
          'find|search(?: for| in| through)?|look for',
          '(?:files?|documents?|photos?|pictures?|videos?|notes?|memory|library|things?)(?: again)?|something',
        ],
      ],
      es: [
        [
          'buscar|busco|encontrar|encuentro',
          '(?:en )?(?:la |mi |mis )?(?:archivos?|documentos?|fotos?|videos?|notas?|memoria|biblioteca|algo)',
        ],
      ],
      fr: [
        [
          'chercher|cherche|rechercher|trouver|trouve|retrouver|retrouve',
          '(?:dans )?(?:la |ma |mes )?(?:fichiers?|documents?|photos?|videos?|notes?|memoire|mediatheque|quelque chose)',
        ],
      ],
      de: [
        [
          'finden|suchen|wiederfinden|durchsuchen',
          'datei(?:en)?|dokumente?|fotos?|bilder|videos?|notiz|notizen|gedachtnis|mediathek|etwas',
          'finde|suche|durchsuche',
        ],
      ],
    },
  },
  reminder: {
    link: '/dashboard',
    actions: {
      en: [['set(?: up)?|create|add|make|get|see|change|delete|edit', '(?:recurring )?(?:reminder|alarm|timer)s?']],
      es: [
        [
          'poner|pongo|crear|creo|anadir|anado|programar|programo|ver|veo|cambiar|borrar',
          '(?:recordatorio|alarma|temporizador)(?:es|s)?',
        ],
      ],
      fr: [
        [
          'mettre|mets|creer|cree|ajouter|ajoute|programmer|programme|voir|modifier|supprimer',
          '(?:rappel|alarme|minuteur)s?',
        ],
      ],
      de: [
        [
          'erstellen|setzen|stellen|anlegen|hinzufugen|sehen|andern|loschen',
          'erinnerung|erinnerungen|wecker|timer',
          'erstelle|setze|stelle|lege|andere|losche',
        ],
      ],
    },
    places: 'reminders|recordatorios|rappels|erinnerungen',
  },
  phone: {
    link: `${SETTINGS}#preferences`,
    actions: {
      en: [
        ['use|install|get|open|run', `(?:(?:mira|this|it|you|app) )?on ${devices}`],
        ['install', 'app|mira'],
      ],
      es: [
        ['usar|uso|instalar|instalo|abrir|abro', `(?:(?:mira|esto|app|aplicacion) )?en ${devices}`],
        ['instalar|instalo', 'app|aplicacion|mira'],
      ],
      fr: [
        ['utiliser|utilise|installer|installe|ouvrir', `(?:(?:mira|ca|appli|application) )?sur ${devices}`],
        ['installer|installe', 'appli|application|mira'],
      ],
      de: [
        [
          'benutzen|nutzen|verwenden|installieren|offnen',
          `(?:(?:mira|dich|das|es|app) )?auf ${devices}`,
          'benutze|nutze|verwende|installiere|offne',
        ],
        ['installieren', 'app|mira', 'installiere'],
      ],
    },
  },
  notifications: {
    link: `${SETTINGS}#preferences`,
    actions: {
      en: [
        [
          'turn (?:on|off)|enable|disable|get|receive|activate|allow|switch (?:on|off)',
          '(?:push )?(?:notification|push message)s?(?: on .{1,30})?',
        ],
      ],
      es: [['activar|activo|desactivar|desactivo|recibir|recibo|permitir', 'notificaciones|avisos']],
      fr: [['activer|active|desactiver|recevoir|recois|autoriser', 'notifications']],
      de: [
        [
          'einschalten|ausschalten|aktivieren|bekommen|erhalten|erlauben',
          'benachrichtigungen|push nachrichten',
          'schalte|aktiviere|bekomme|erhalte',
        ],
      ],
    },
  },
  effects: {
    link: '/effects',
    actions: {
      en: [
        [
          'apply|use|add|make|try',
          '(?:image |picture |photo |artistic )?(?:effect|filter)s?(?: (?:to|on) (?:a |my |an )?(?:image|picture|photo)s?)?',
        ],
      ],
      es: [
        [
          'aplicar|aplico|usar|uso|anadir|poner|pongo',
          '(?:efecto|filtro)s?(?: (?:de imagen|artisticos?))?(?: (?:a|en) (?:una? |mis? |la )?(?:imagen|foto|fotos|imagenes))?',
        ],
      ],
      fr: [
        [
          'appliquer|applique|utiliser|utilise|ajouter|mettre',
          '(?:effet|filtre)s?(?: (?:d image|artistiques?))?(?: (?:a|sur) (?:une? |mes? |ma |des )?(?:image|photo)s?)?',
        ],
      ],
      de: [
        [
          'anwenden|benutzen|nutzen|hinzufugen|verwenden',
          '(?:bild|foto)?(?:effekte?|filter)(?: auf (?:ein |mein |einem |meine )?(?:bild|foto|bilder|fotos))?',
          'wende|nutze|benutze',
        ],
      ],
    },
    places: '(?:image )?effects|efectos(?: de imagen)?|effets(?: d image)?|bildeffekte',
  },
  settings: {
    link: SETTINGS,
    actions: {
      en: [['change|open|find|see|get to|edit', '(?:(?:account|user|profile) )?(?:settings|preferences)|account']],
      es: [['cambiar|cambio|abrir|abro|ver|veo|encontrar', 'ajustes|configuracion|preferencias']],
      fr: [['changer|change|ouvrir|ouvre|modifier|modifie|trouver|voir', 'parametres|reglages|preferences']],
      de: [['andern|offnen|finden|sehen', 'einstellungen', 'andere|offne|finde']],
    },
    places:
      '(?:(?:account|user|profile) )?(?:settings|preferences)|ajustes|configuracion|preferencias|parametres|reglages|preferences|einstellungen',
  },
}

/** Articles and the like before a noun. */
const determiners =
  '(?:(?:an?|the|my|our|your|some|all|new|another|more|this|these|old|una?|el|l[ao]s?|mis?|nuev[oa]s?|otr[oa]s?|todos|toda|tus?|est[ae]|le|les|l|mon|ma|mes|une|des|du|de|d|nouveau|nouvel|nouvelle|autre|tou[ts]|toutes|cette|ce|ein|eine[nmrs]?|der|die|das|de[nm]|mein|meine[nmrs]?|neue[nmrs]?|weitere[nmrs]?|alle|diese[nmrs]?|unser|unsere[nmrs]?) )*'
const courtesies =
  '(?:(?:hey|hi|hello|please|ok|okay|so|and|mira|hola|oye|por favor|y|bonjour|salut|et|hallo|bitte|und|sag mal) )*(?:(?:tell|show) me )?'
const endings =
  '(?: (?:please|here|again|myself|(?:in|into|to|from|with|on|en|a|dans|sur|zu|bei) (?:mira|here|this app|this server|la app|l application|der app)|por favor|aqui|ici|s il (?:vous|te) plait|bitte|hier|denn))*'

const openings = {
  en: '(?:how (?:do|can|could|would|should) (?:i|we|you|one)|how to|where (?:do|can|could) (?:i|we)|can (?:i|we)|is it possible to|is there a way to)',
  es: '(?:(?:como|donde)(?: (?:puedo|podemos|puede uno|se puede|se|debo|hago para))?|puedo|podemos|se puede|es posible)',
  fr: '(?:(?:comment|ou)(?: est ce que)?(?: (?:puis je|peut on|pouvons nous|je peux|on peut|on|je|j|faire pour|dois je))?|puis je|peut on|est ce que (?:je peux|on peut)|est il possible (?:de|d))',
  de: '(?:(?:wie|wo) (?:kann|konnte|konnen) (?:ich|man|wir)|(?:kann|konnen) (?:ich|man|wir))',
}
const wherever =
  '(?:where (?:are|is|s|do i find|can i find)|donde (?:estan?|encuentro|puedo encontrar)|ou (?:sont|est|se trouvent?|trouver|puis je trouver)|wo (?:sind|ist|finde ich|kann ich))'

/** One pattern for each subject, in all languages together: short sentences don't reveal theirs. */
const patterns = Object.entries(helpWords).map(([subject, { actions, places }]) => {
  const isWholeVerb = subject === 'formats'
  const named = (nouns: string) => `${determiners}(?:${nouns})`
  const inOrder = (['en', 'es', 'fr'] as const).flatMap((language) =>
    actions[language].map(
      ([verbs, nouns]) => `${isWholeVerb ? '' : `${openings[language]} `}(?:${verbs}) ?${named(nouns)}`,
    ),
  )
  const german = actions.de.flatMap(([verbs, nouns, ownForms]) =>
    isWholeVerb
      ? [`(?:${verbs}) ${named(nouns)}`]
      : [
          `${openings.de} ${named(nouns)} (?:zu )?(?:${verbs})`,
          `(?:wie|wo) (?:${ownForms}) (?:ich|man|wir) ${named(nouns)}(?: (?:hinzu|an|ein|aus|hoch|um|zuruck|frei))?`,
        ],
  )
  const located = places === undefined ? [] : [`${wherever} ${named(places)}(?: finden)?`]
  const source = [...inOrder, ...german, ...located].join('|')
  return { subject: subject as HelpSubject, pattern: new RegExp(`^${courtesies}(?:${source})${endings}$`, 'u') }
})

const MAX_WORDS = 20

/** Subject of a question about using Mira, with the path of its page; null for any other message. */
export function readHelpQuestion(message: string): { subject: HelpSubject; link: string } | null {
  const words = plainWords(message)
  if (words.length > MAX_WORDS) return null
  const sentence = words.join(' ')
  const found = patterns.find(({ pattern }) => pattern.test(sentence))
  return found === undefined ? null : { subject: found.subject, link: helpWords[found.subject].link }
}
