/** Texts in the images: one set for developing the OCR, another for evaluating it. */
export type WordSet = 'development' | 'judging'

type Language = 'en' | 'es' | 'fr' | 'de'

/** Short lines, as on signs and in titles. */
export const shortLines: Record<WordSet, Record<Language, string[]>> = {
  development: {
    en: [
      'Harbour Street',
      'Fresh Bread Daily',
      'No Parking Here',
      'Museum Entrance',
      'Platform 14',
      'Coffee and Cake',
      'Ring the Bell',
      'Winter Sale 50%',
      'Mind the Step',
      'Lost Property',
    ],
    es: [
      'Salida de emergencia',
      'Calle Mayor 27',
      'Jardín botánico',
      'Mañana cerrado',
      'Panadería Núñez',
      'Estación del Norte',
    ],
    fr: [
      'Boulangerie',
      'Entrée interdite',
      'Hôtel de la Forêt',
      'Crème brûlée 6,50',
      'Bibliothèque',
      'École maternelle',
    ],
    de: [
      'Frühstück ab 7',
      'Bäckerei Schröder',
      'Straße gesperrt',
      'Ausgang',
      'Bücher und Geschenke',
      'Schlüsseldienst',
    ],
  },
  judging: {
    en: [
      'Garden Centre',
      'Fire Exit Only',
      'Tickets from 9',
      'Old Mill Lane',
      'Hot Soup Today',
      'Room 308',
      'Please Wait Here',
      'Summer Market',
      'Deep Water',
      'Library Closed',
      'River Walk',
      'Bus Stop 62',
    ],
    es: [
      'Farmacia abierta',
      'Plaza de España',
      'Prohibido fumar',
      'Teléfono público',
      'Menú del día',
      'Corazón de León',
      'Pequeños artículos',
    ],
    fr: [
      'Sortie de secours',
      'Café de la Gare',
      'Défense de fumer',
      'Théâtre municipal',
      'Pâtisserie française',
      'Marché aux légumes',
      'Tête de réseau',
    ],
    de: [
      'Rathausplatz',
      'Getränke und Imbiss',
      'Für Gäste geöffnet',
      'Kein Durchgang',
      'Zahnärztin Müller',
      'Größe und Länge',
      'Rückgabe möglich',
    ],
  },
}

/** Sentences, as in letters and on screens. */
export const sentences: Record<WordSet, Record<Language, string[]>> = {
  development: {
    en: [
      'The harbour committee meets at nine',
      'with three copies of invoice 48213.',
      'Bring the signed papers to the office',
      'before the end of the month, please.',
      'Rooms on the second floor are painted',
      'and stay closed until further notice.',
    ],
    es: [
      'El niño volverá mañana a la reunión',
      'con su señora y tres compañeros más.',
      'La información llegará después del café',
    ],
    fr: [
      'Les élèves étaient à côté de la forêt',
      'et le garçon préférait déjà la crème.',
      'Il a reçu une lettre de sa grand-mère',
    ],
    de: [
      'Die Straße wird für größere Übungen',
      'gesperrt, und die Schüler müssen zurück.',
      'Schöne Grüße aus München und Köln',
    ],
  },
  judging: {
    en: [
      'Every parcel is weighed at the counter',
      'and leaves the building after lunch.',
      'Ask for the key of cupboard 2714',
      'if the printer has run out of paper.',
      'Visitors sign the book near the door',
      'and return their badge when they go.',
    ],
    es: [
      'Mi compañera está en la habitación',
      'y llegará aquí según dijo el médico.',
      'El próximo año habrá más música también',
    ],
    fr: [
      'Le problème a été réglé après le dîner',
      'parce que le maître connaît déjà la clé.',
      'Où êtes-vous allés pendant la fête',
    ],
    de: [
      'Natürlich können wir später darüber',
      'sprechen, außer es regnet draußen stärker.',
      'Vierzig Gäste hörten die fröhliche Musik',
    ],
  },
}
