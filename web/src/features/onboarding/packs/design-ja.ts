import { msg } from "@lingui/core/macro";
import type { Pack } from "./pack";

export const designJa: Pack = {
  id: "design-ja",
  title: msg`Design`,
  lang: "ja",
  feeds: [
    { title: "コリス", url: "https://coliss.com/feed/" },
    { title: "Webクリエイターボックス", url: "https://www.webcreatorbox.com/feed" },
    { title: "PhotoshopVIP", url: "https://photoshopvip.net/feed" },
    { title: "ICS MEDIA", url: "https://ics.media/feed/atom.xml" },
    { title: "JDN", url: "https://www.japandesign.ne.jp/feed/" },
    { title: "AXIS Web", url: "https://www.axismag.jp/feed" },
    { title: "Smashing Magazine", url: "https://www.smashingmagazine.com/feed/" },
    { title: "CSS-Tricks", url: "https://css-tricks.com/feed/" },
    { title: "A List Apart", url: "https://alistapart.com/main/feed/" },
    { title: "Dezeen", url: "https://www.dezeen.com/feed/" },
    { title: "designboom", url: "https://www.designboom.com/feed/" },
    { title: "Colossal", url: "https://www.thisiscolossal.com/feed/" },
    { title: "swissmiss", url: "https://www.swiss-miss.com/feed" },
  ],
};
