import type { Language } from '@mira/shared'

/** Subject of a question about using Mira, as the key of its answer. */
export type HelpSubject =
  | ('upload' | 'formats' | 'import' | 'users' | 'backup' | 'password' | 'theme' | 'language')
  | ('account' | 'share' | 'find' | 'reminder' | 'phone' | 'notifications' | 'effects' | 'settings')

const files = {
  en: '(?:(?:(?:pdf|word|audio|text) )?(?:files?|pdfs?|docs?|documents?|photos?|pictures?|images?|videos?|movies|recordings?|emails|spreadsheets|music)(?: and (?:files|pdfs|documents|photos|pictures|images|videos))?)',
  es: '(?:(?:(?:archivos?|documentos?) )?pdfs?|archivos?|ficheros?|documentos?|fotos?|imagen|imagenes|videos?|grabacion|grabaciones|correos|musica)',
  fr: '(?:(?:(?:fichiers?|documents?) )?pdfs?|fichiers?|documents?|photos?|images?|videos?|enregistrements?|e mails|musique)',
  de: '(?:(?:(?:pdf|word) )?datei(?:en)?|pdfs?|dokumente?|fotos?|bild|bilder|videos?|aufnahmen?|e mails|musik)',
}
const apps =
  '(?:chatgpt|chat gpt|claude|open ?webui|librechat|google(?: photos| fotos)?|takeout|google takeout|icloud|apple(?: photos| fotos)?|immich|(?:an)?other (?:app|program|mira|service|assistant)s?|otr[ao]s? (?:app|aplicacion|programa|mira|servicio|asistente)(?:es|s)?|d? ?(?:une? )?autres? (?:app|application|appli|programme|mira|service|assistant)s?|(?:einer |einem )?anderen? (?:app|apps|programm|programmen|mira|dienst|assistenten))'
const devices =
  '(?:my |a |the |mi |un |el |mon |mein |meinem |einem |dem )?(?:phone|iphone|android|android phone|mobile|smartphone|tablet|ipad|telefono|movil|celular|tableta|telephone|portable|tablette|handy|telefon)'
/** Mira as "the app", not "an app" or "a new app". */
const thisApp = '(?:(?<=(?:the|this|your|la|l|esta|tu|cette|die|diese) )(?:app|appli|application|aplicacion))'

const englishFromApps = `(?:(?:chats|conversations|history|chat history|data|photos|pictures|files|everything)(?: over)? )?from ${apps}`

/**
 * Patterns of "how do I …", without accents, as "verbs > objects". In German, the verbs are infinitives, and their forms with
 * "ich" follow: "verbs > objects > forms". Those of `formats` begin the question: "can you read > PDFs".
 */
export const helpActions: Record<Language, Record<HelpSubject, readonly string[]>> = {
  en: {
    upload: [`upload|add > ${files.en}|something|things|stuff|media`],
    formats: [
      `(?:can|do) (?:you|u) (?:read|understand|open|handle|support|view|see|watch|hear|process|search) > ${files.en}`,
      '(?:what|which) (?:(?:file )?(?:types?|formats?)|(?:types|kinds) of files) (?:do|can) (?:you|u|i|mira) > (?:support|read|open|upload|accept|handle|understand)',
    ],
    import: [
      `import|migrate|transfer|move|bring(?: in)? > ${englishFromApps}|chats|conversations|data|chat history`,
      `get > ${englishFromApps}`,
    ],
    users: [
      'add|create|invite|register > (?:user|person|account|member|guest|family member)s?|people|friends?|someone|somebody',
    ],
    backup: [
      '(?:back ?up|(?:make|create|do|take) (?:an? )?back ?ups? of) > data|memory|files|everything|server|instance|mira|database|library|account|it all',
      'make|create|do|take|start|download|restore > back ?ups?',
    ],
    password: ['change|reset|update|set > pass?words?|login password|account password'],
    theme: [
      'change|switch(?: to)?|turn (?:on|off)|enable|disable|use|activate|set|get|choose > (?:dark|light|night) (?:mode|theme)|theme|themes|appearance|colou?r scheme',
    ],
    language: ['change|switch|set|choose > (?:(?:app|interface|display) )?languages?|time ?zone|region'],
    account: ['delete|remove|close|erase|cancel > account|profile|(?:all )?(?:my )?data|user account'],
    share: ['share|publish > (?:conversation|chat)s?(?: with (?:others|someone|somebody|other people|a friend))?'],
    find: [
      'find|search(?: for| in| through)?|look for > (?:files?|documents?|photos?|pictures?|videos?|notes?|memory|library|things?)(?: again)?|something',
    ],
    reminder: ['set(?: up)?|create|add|make|get|see|change|delete|edit > (?:recurring )?(?:reminder|alarm|timer)s?'],
    phone: [
      `use|install|get|open|run > (?:(?:mira|this|it|you|${thisApp}) )?on ${devices}`,
      `install > ${thisApp}|mira`,
    ],
    notifications: [
      `turn (?:on|off)|enable|disable|get|receive|activate|allow|switch (?:on|off) > (?:push )?(?:notification|push message)s?(?: on (?:${devices}|this device))?`,
    ],
    effects: [
      'apply|use|add|make|try > (?:image |picture |photo |artistic )?(?:effect|filter)s?(?: (?:to|on) (?:a |my |an )?(?:image|picture|photo)s?)?',
    ],
    settings: ['change|open|find|see|get to|edit > (?:(?:account|user|profile) )?(?:settings|preferences)|account'],
  },
  es: {
    upload: [`subir|subo|anadir|anado|agregar|agrego|cargar|cargo > ${files.es}|algo|cosas`],
    formats: [`(?:puedes|sabes) (?:leer|entender|abrir|ver|procesar)|(?:lees|entiendes|admites) > ${files.es}`],
    import: [
      `importar|importo|migrar|migro|traer|traigo|pasar|paso > (?:(?:chats|conversaciones|historial|datos|fotos|archivos|todo) )?(?:de|desde) ${apps}|chats|conversaciones|datos`,
    ],
    users: [
      'anadir|anado|agregar|agrego|crear|creo|invitar|invito > (?:a )?(?:alguien|(?:una? )?(?:usuari[oa]|persona|cuenta|amig[oa]|invitado)s?)',
    ],
    backup: [
      '(?:hacer|hago|crear|creo|descargar|restaurar) (?:una )?(?:copias?(?: de seguridad)?|respaldos?|backups?) > |(?:de |del )?(?:los |mis )?(?:datos|memoria|archivos|todo|servidor|mira)',
      'respaldar|respaldo > datos|memoria|archivos|todo|servidor',
    ],
    password: ['cambiar|cambio|restablecer|restablezco|actualizar > contrasenas?|clave|password'],
    theme: [
      'cambiar|cambio|activar|activo|desactivar|desactivo|usar|uso|poner|pongo|elegir > (?:al? )?(?:modo|tema) (?:oscuro|claro)|tema|apariencia',
    ],
    language: ['cambiar|cambio|elegir|elijo|poner|pongo > (?:de )?(?:idioma|lengua|zona horaria|region)'],
    account: ['borrar|borro|eliminar|elimino|cerrar|cierro > cuenta|perfil|(?:todos )?(?:mis )?datos'],
    share: [
      'compartir|comparto|publicar > (?:conversacion|conversaciones|chats?)(?: con (?:otros|alguien|otras personas))?',
    ],
    find: [
      'buscar|busco|encontrar|encuentro > (?:en )?(?:la |mi |mis )?(?:archivos?|documentos?|fotos?|videos?|notas?|memoria|biblioteca|algo)',
    ],
    reminder: [
      'poner|pongo|crear|creo|anadir|anado|programar|programo|ver|veo|cambiar|borrar > (?:recordatorio|alarma|temporizador)(?:es|s)?',
    ],
    phone: [
      `usar|uso|instalar|instalo|abrir|abro > (?:(?:mira|esto|${thisApp}) )?en ${devices}`,
      `instalar|instalo > ${thisApp}|mira`,
    ],
    notifications: ['activar|activo|desactivar|desactivo|recibir|recibo|permitir > notificaciones|avisos'],
    effects: [
      'aplicar|aplico|usar|uso|anadir|poner|pongo > (?:efecto|filtro)s?(?: (?:de imagen|artisticos?))?(?: (?:a|en) (?:una? |mis? |la )?(?:imagen|foto|fotos|imagenes))?',
    ],
    settings: ['cambiar|cambio|abrir|abro|ver|veo|encontrar > ajustes|configuracion|preferencias'],
  },
  fr: {
    upload: [`importer|importe|ajouter|ajoute|televerser|televerse|envoyer|envoie|charger > ${files.fr}|quelque chose`],
    formats: [
      `(?:(?:est ce que )?(?:tu peux|tu sais|vous pouvez)|peux tu|sais tu|pouvez vous|savez vous) (?:lire|comprendre|ouvrir|voir|traiter) > ${files.fr}`,
    ],
    import: [
      `importer|importe|migrer|transferer|transfere|recuperer > (?:(?:chats|conversations|historique|donnees|photos|fichiers|tout) )?(?:de|d|depuis) ?${apps}|chats|conversations|donnees`,
    ],
    users: [
      'ajouter|ajoute|creer|cree|inviter|invite > (?:utilisat(?:eur|rice)|personne|compte|membre|ami|amie)s?|quelqu un',
    ],
    backup: [
      'sauvegarder|sauvegarde > donnees|memoire|fichiers|tout|serveur|mira',
      '(?:faire|fais|fait|creer|cree|telecharger|restaurer) (?:une )?(?:sauvegardes?|backups?) > |(?:de |d |des |du )?(?:mes |ma |les )?(?:donnees|memoire|fichiers|tout|serveur|mira)',
    ],
    password: ['changer|change|modifier|modifie|reinitialiser|reinitialise > (?:de )?mots? de passe'],
    theme: [
      'changer|change|activer|active|desactiver|passer|utiliser|choisir > (?:de |en |au )?(?:mode|theme) (?:sombre|clair)|(?:de )?theme|apparence',
    ],
    language: ['changer|change|choisir|choisis|regler > (?:de |la )?(?:langue|fuseau horaire|region)'],
    account: ['supprimer|supprime|effacer|efface|fermer|ferme > compte|profil|(?:toutes )?(?:mes )?donnees'],
    share: [
      'partager|partage|publier > (?:conversation|discussion|chat)s?(?: avec (?:d autres|quelqu un|d autres personnes))?',
    ],
    find: [
      'chercher|cherche|rechercher|trouver|trouve|retrouver|retrouve > (?:dans )?(?:la |ma |mes )?(?:fichiers?|documents?|photos?|videos?|notes?|memoire|mediatheque|quelque chose)',
    ],
    reminder: [
      'mettre|mets|creer|cree|ajouter|ajoute|programmer|programme|voir|modifier|supprimer > (?:rappel|alarme|minuteur)s?',
    ],
    phone: [
      `utiliser|utilise|installer|installe|ouvrir > (?:(?:mira|ca|${thisApp}) )?sur ${devices}`,
      `installer|installe > ${thisApp}|mira`,
    ],
    notifications: ['activer|active|desactiver|recevoir|recois|autoriser > notifications'],
    effects: [
      'appliquer|applique|utiliser|utilise|ajouter|mettre > (?:effet|filtre)s?(?: (?:d image|artistiques?))?(?: (?:a|sur) (?:une? |mes? |ma |des )?(?:image|photo)s?)?',
    ],
    settings: ['changer|change|ouvrir|ouvre|modifier|modifie|trouver|voir > parametres|reglages|preferences'],
  },
  de: {
    upload: [`hochladen|hinzufugen > ${files.de}|etwas|was|medien > lade|fuge`],
    formats: [`kannst du|konnen sie|verstehst du|liest du > ${files.de} (?:lesen|verstehen|offnen|sehen|verarbeiten)`],
    import: [
      `importieren|ubernehmen|umziehen|ubertragen|mitnehmen > (?:(?:chats|unterhaltungen|verlauf|daten|fotos|dateien|alles) )?(?:aus|von) ${apps}|chats|unterhaltungen|daten > importiere|ubernehme|ubertrage`,
    ],
    users: [
      'hinzufugen|anlegen|einladen|erstellen > benutzer(?:konto|in|innen)?|nutzer(?:konto)?|personen?|konto|konten|jemanden|leute|freunde? > fuge|lege|lade|erstelle',
    ],
    backup: [
      'sichern > daten|gedachtnis|dateien|alles|server|mira > sichere',
      'machen|erstellen|anlegen|herunterladen|wiederherstellen > (?:sicherung(?:en)?|sicherungskopien?|backups?|datensicherung)(?: (?:von |der )?(?:meinen? |allen? )?(?:daten|dateien|gedachtnis|allem))? > mache|erstelle|lege',
    ],
    password: ['andern|wechseln|zurucksetzen|setzen > passwort|kennwort|passworter > andere|wechsle|setze'],
    theme: [
      'andern|wechseln|einschalten|ausschalten|aktivieren|einstellen|nutzen|anmachen > (?:dunkle[nrs]?|helle[nrs]?|dunkel|hell) ?(?:modus|design|thema)?|design|darstellung|darkmode|dark mode > andere|wechsle|schalte|aktiviere|stelle',
    ],
    language: ['andern|wechseln|einstellen|umstellen > sprache|zeitzone|region > andere|wechsle|stelle'],
    account: [
      'loschen|entfernen|schließen|kundigen > konto|account|profil|benutzerkonto|daten > losche|entferne|schließe',
    ],
    share: [
      'teilen|freigeben|veroffentlichen > (?:unterhaltung|unterhaltungen|chats?|gesprach)(?: mit (?:anderen|jemandem))? > teile|gebe',
    ],
    find: [
      'finden|suchen|wiederfinden|durchsuchen > datei(?:en)?|dokumente?|fotos?|bilder|videos?|notiz|notizen|gedachtnis|mediathek|etwas > finde|suche|durchsuche',
    ],
    reminder: [
      'erstellen|setzen|stellen|anlegen|hinzufugen|sehen|andern|loschen > erinnerung|erinnerungen|wecker|timer > erstelle|setze|stelle|lege|andere|losche',
    ],
    phone: [
      `benutzen|nutzen|verwenden|installieren|offnen > (?:(?:mira|dich|das|es|${thisApp}) )?(?:auf|am) ${devices} > benutze|nutze|verwende|installiere|offne`,
      `installieren > ${thisApp}|mira > installiere`,
    ],
    notifications: [
      'einschalten|ausschalten|aktivieren|bekommen|erhalten|erlauben > benachrichtigungen|push nachrichten > schalte|aktiviere|bekomme|erhalte',
    ],
    effects: [
      'anwenden|benutzen|nutzen|hinzufugen|verwenden > (?:bild|foto)?(?:effekte?|filter)(?: auf (?:ein |mein |einem |meine )?(?:bild|foto|bilder|fotos))? > wende|nutze|benutze',
    ],
    settings: ['andern|offnen|finden|sehen > einstellungen > andere|offne|finde'],
  },
}

/** Patterns of "where is …", in all languages together. */
export const helpPlaces: Partial<Record<HelpSubject, string>> = {
  users: 'user management|gestion de usuarios|gestion des utilisateurs|benutzerverwaltung',
  reminder: 'reminders|recordatorios|rappels|erinnerungen',
  effects: '(?:image )?effects|efectos(?: de imagen)?|effets(?: d image)?|bildeffekte',
  settings:
    '(?:(?:account|user|profile) )?(?:settings|preferences)|ajustes|configuracion|preferencias|parametres|reglages|preferences|einstellungen',
}
